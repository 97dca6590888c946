import FuzzCases

/// What libFuzzer calls with bytes of its own making, over and over.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(Violation) {
    try ReflectorCase.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
  } catch {
    fatalError(error.description)
  }
  return 0
}
