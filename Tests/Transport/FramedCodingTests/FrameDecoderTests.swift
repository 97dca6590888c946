import FramedCoding
import Testing

@Suite struct FrameDecoderTests {
  @Test func `bytes that come one at a time give the same frames`() throws {
    var decoder = FrameDecoder()
    var frames: [[UInt8]] = []
    for byte: UInt8 in [0, 0, 0, 2, 10, 20, 0, 0, 0, 0, 0, 0, 0, 1, 30] {
      decoder.append(contentsOf: [byte])
      while let frame = try decoder.nextFrame() { frames.append(frame) }
    }
    #expect(frames == [[10, 20], [], [30]])
    #expect(decoder.bufferedByteCount == 0)
    try decoder.finish()
  }

  @Test func `frames are shown in place`() throws {
    var decoder = FrameDecoder()
    decoder.append(contentsOf: [0, 0, 0, 2, 10, 20, 0, 0, 0, 1, 30, 0, 0])
    #expect(try decoder.withNextFrame { $0[1] } == 20)
    var sums: [Int] = []
    try decoder.forEachFrame { body in
      var sum = 0
      for index in body.indices { sum += Int(body[index]) }
      sums.append(sum)
    }
    #expect(sums == [30])
    #expect(try decoder.withNextFrame { $0.count } == nil)
    #expect(decoder.bufferedByteCount == 2)
  }

  @Test func `a closure may write less than it asked room for`() throws {
    var decoder = FrameDecoder()
    decoder.append(upTo: 1000) { output in
      for byte: UInt8 in [0, 0, 0, 1, 5, 0] { output.append(byte) }
    }
    #expect(decoder.bufferedByteCount == 6)
    #expect(try decoder.nextFrame() == [5])
  }

  @Test(arguments: everyFormat)
  func `a body above the maximum is refused before it comes`(format: FrameFormat) throws {
    let prefix = try #require(format.lengthPrefix)
    let generous = FrameEncoder(
      format: FrameFormat(lengthWidth: prefix.width, byteOrder: prefix.byteOrder, lengthCountsItself: prefix.countsItself))
    var bytes: [UInt8] = []
    try generous.encode([1], into: &bytes)
    try generous.encode([UInt8](repeating: 2, count: 201), into: &bytes)
    bytes.removeLast(201)

    var decoder = FrameDecoder(format: format)
    decoder.append(contentsOf: bytes)
    #expect(try decoder.nextFrame() == [1])
    let error = #expect(throws: FramingError.self) { try decoder.nextFrame() }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.announced == 201)
    #expect(error?.permitted == 200)
    #expect(error.map { "\($0)".contains("201") } == true)
  }

  @Test func `a length of all ones does not overflow`() {
    for counts in [false, true] {
      var decoder = FrameDecoder(
        format: FrameFormat(lengthWidth: .eight, lengthCountsItself: counts, maximumBodySize: 1000))
      decoder.append(contentsOf: [UInt8](repeating: 0xFF, count: 8))
      let error = #expect(throws: FramingError.self) { try decoder.nextFrame() }
      #expect(error?.announced == (counts ? UInt64.max - 8 : UInt64.max))
    }
  }

  @Test(arguments: everyFormat.filter { $0.lengthPrefix?.countsItself == true })
  func `a length smaller than itself is refused`(format: FrameFormat) {
    var decoder = FrameDecoder(format: format)
    decoder.append(contentsOf: [UInt8](repeating: 0, count: format.overhead))
    let error = #expect(throws: FramingError.self) { try decoder.nextFrame() }
    #expect(error?.code == .lengthSmallerThanItself)
    #expect(error?.announced == 0)
    #expect(error?.permitted == format.overhead)
  }

  @Test func `a decoder that failed stays so and keeps nothing`() throws {
    var decoder = FrameDecoder(format: FrameFormat(maximumBodySize: 10))
    decoder.append(contentsOf: [0, 0, 0, 11, 1, 2, 3])
    let first = try #require(throws: FramingError.self) { try decoder.nextFrame() }
    decoder.append(contentsOf: [0, 0, 0, 1, 7])
    decoder.append([0, 0, 0, 1, 7].span)
    decoder.append(upTo: 8) { $0.append(repeating: 0, count: 8) }
    #expect(decoder.bufferedByteCount == 0)
    #expect(throws: first) { try decoder.nextFrame() }
    #expect(throws: first) { try decoder.withNextFrame { $0.count } }
    #expect(throws: first) { try decoder.finish() }
  }

  @Test(arguments: [([0], 3), ([0, 0, 0], 1), ([0, 0, 0, 5], 5), ([0, 0, 0, 5, 1, 2], 3)] as [([UInt8], Int)])
  func `an end inside a frame tells what is missing`(bytes: [UInt8], missing: Int) throws {
    var decoder = FrameDecoder()
    decoder.append(contentsOf: [0, 0, 0, 1, 9] + bytes)
    #expect(try decoder.nextFrame() == [9])
    #expect(try decoder.nextFrame() == nil)
    let error = #expect(throws: FramingError.self) { try decoder.finish() }
    #expect(error?.code == .truncated)
    #expect(error?.missing == missing)
  }

  @Test func `an end inside a frame that could never be accepted says so`() {
    var decoder = FrameDecoder(format: FrameFormat(maximumBodySize: 10))
    decoder.append(contentsOf: [0, 0, 0, 11])
    let error = #expect(throws: FramingError.self) { try decoder.finish() }
    #expect(error?.code == .bodyTooLarge)
  }

  @Test func `what is unread goes on in another buffer, and the former one is given back`() throws {
    var decoder = FrameDecoder()
    decoder.append(contentsOf: [0, 0, 0, 1, 7, 0, 0, 0, 2, 8])
    #expect(try decoder.nextFrame() == [7])
    let former = decoder.exchangeStorage(for: [1, 2, 3])
    #expect(former == [0, 0, 0, 1, 7, 0, 0, 0, 2, 8] && decoder.bufferedByteCount == 5)
    decoder.append(contentsOf: [9])
    #expect(try decoder.nextFrame() == [8, 9])
    #expect(decoder.exchangeStorage(for: []).count == 6 && decoder.bufferedByteCount == 0 && decoder.storageCapacity == 0)
    decoder.append(contentsOf: [0, 0, 0, 0])
    #expect(try decoder.nextFrame() == [])
  }

  @Test func `a limit that was set for a while holds for the next frame`() throws {
    var decoder = FrameDecoder(format: FrameFormat(maximumBodySize: 100))
    decoder.permit(maximumBodySize: 3)
    decoder.append(contentsOf: [0, 0, 0, 3, 1, 2, 3, 0, 0, 0, 4])
    #expect(try decoder.nextFrame() == [1, 2, 3])
    #expect(throws: FramingError.bodyTooLarge(announced: 4, permitted: 3)) { try decoder.nextFrame() }
  }
}
