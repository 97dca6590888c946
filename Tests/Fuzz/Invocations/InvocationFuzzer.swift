import Dispatch
import FuzzCases
import TransportFuzzCases

/// What libFuzzer calls with bytes of its own making, over and over.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    do throws(Violation) {
      try await InvocationCase.run(input)
    } catch {
      fatalError(error.description)
    }
    done.signal()
  }
  // libFuzzer's own thread, which no task runs on.
  done.wait()
  return 0
}
