import FramedCoding
import Testing

/// One format of each kind that is more than a length, with a body of at most 200 bytes.
let everyLayout: [FrameFormat] = [
  .header(prefix: [0xCA, 0xFE], maximumBodySize: 200),
  .header(fieldsBefore: 4, byteOrder: .littleEndian, maximumBodySize: 200),
  .header(fieldsBefore: 1, lengthCounts: .lengthAndAfter, maximumBodySize: 200),
  .header(prefix: [7], fieldsBefore: 2, lengthWidth: .two, fieldsAfter: 3, lengthCounts: .frame, maximumBodySize: 200),
  .header(fieldsBefore: 3, lengthWidth: .one, fieldsAfter: 5, lengthCounts: .afterLength, maximumBodySize: 200),
  .varint(maximumBodySize: 200),
  .lines(maximumBodySize: 200),
  .lines(ending: .crlf, maximumBodySize: 200),
  .delimited(by: [35, 10, 35], maximumBodySize: 200),
  FrameFormat(CheckedLayout(maximumBodySize: 200)),
]

/// A layout as a program may bring it: a byte for the length, and a sum behind the body.
struct CheckedLayout: FrameLayout {
  let maximumBodySize: Int
  let overhead = 2

  func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
    let size = Int(bytes[0]) + 2
    guard bytes.count >= size else { return .incomplete(needs: size - bytes.count) }
    guard bytes[size - 1] == Self.sum(bytes, 1..<size - 1) else {
      throw FramingError(.malformed, "A checksum is wrong\u{1B}")
    }
    return .frame(size: size, body: 1..<size - 1)
  }

  func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) -> Int {
    header.append(UInt8(body.count))
    return 0
  }

  func writeTrailer(of body: Span<UInt8>, into trailer: inout OutputSpan<UInt8>) {
    trailer.append(Self.sum(body, body.indices))
  }

  private static func sum(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8 {
    range.reduce(0) { $0 &+ bytes[$1] }
  }
}

@Suite struct FrameLayoutTests {
  private func encoded(_ body: [UInt8], _ format: FrameFormat) throws(FramingError) -> [UInt8] {
    var output: [UInt8] = [99]
    try FrameEncoder(format: format).encode(body, into: &output)
    return Array(output.dropFirst())
  }

  private func decoded(_ bytes: [UInt8], _ format: FrameFormat) throws(FramingError) -> [[UInt8]] {
    var decoder = FrameDecoder(format: format)
    decoder.append(contentsOf: bytes)
    var frames: [[UInt8]] = []
    while let frame = try decoder.nextFrame() { frames.append(frame) }
    try decoder.finish()
    return frames
  }

  @Test(
    arguments: [
      // Type and length of 32 bits in the order of Apple's machines, as TicTacToe has them.
      (.header(fieldsBefore: 4, byteOrder: .littleEndian), [2, 0, 0, 0, 65, 66], [2, 0, 0, 0, 2, 0, 0, 0, 65, 66]),
      // A query of PostgreSQL: a letter, and a length that counts itself.
      (
        .header(fieldsBefore: 1, lengthCounts: .lengthAndAfter), Array("QSELECT 1\0".utf8),
        Array("Q".utf8) + [0, 0, 0, 13] + Array("SELECT 1\0".utf8)
      ),
      // A header of HTTP/2: 24 bits of length have no format, but type, flags and stream behind 16 do.
      (.header(lengthWidth: .two, fieldsAfter: 6), [4, 0, 0, 0, 0, 0, 9, 9], [0, 2, 4, 0, 0, 0, 0, 0, 9, 9]),
      (
        .header(prefix: [0xCA, 0xFE], fieldsBefore: 1, lengthWidth: .two, fieldsAfter: 1, lengthCounts: .frame),
        [1, 2, 3], [0xCA, 0xFE, 1, 0, 7, 2, 3]
      ),
      (.header(lengthWidth: .two, fieldsAfter: 2, lengthCounts: .afterLength), [1, 2, 3], [0, 3, 1, 2, 3]),
      (.header(prefix: [5], lengthWidth: .one), [], [5, 0]),
      // Protocol Buffers, "delimited".
      (.varint(), [8, 0x96, 1], [3, 8, 0x96, 1]),
      (.varint(), [UInt8](repeating: 1, count: 300), [0xAC, 2] + [UInt8](repeating: 1, count: 300)),
      (.varint(), [UInt8](repeating: 1, count: 127), [127] + [UInt8](repeating: 1, count: 127)),
      (.varint(), [UInt8](repeating: 1, count: 128), [0x80, 1] + [UInt8](repeating: 1, count: 128)),
      (.varint(), [], [0]),
      (.lines(), Array("hello".utf8), Array("hello\n".utf8)),
      (.lines(ending: .crlf), Array("NICK bob".utf8), Array("NICK bob\r\n".utf8)),
      (.lines(ending: .crlf), [97, 13], [97, 13, 13, 10]),
      (.lines(), [], [10]),
      (.delimited(by: [0]), [1, 2], [1, 2, 0]),
      (.delimited(by: [0]), [97, 13], [97, 13, 0]),
      (.delimited(by: [1, 1, 2]), [1, 2], [1, 2, 1, 1, 2]),
      (FrameFormat(CheckedLayout(maximumBodySize: 200)), [1, 2], [2, 1, 2, 3]),
    ] as [(FrameFormat, [UInt8], [UInt8])])
  func `a body has this frame`(format: FrameFormat, body: [UInt8], frame: [UInt8]) throws {
    #expect(try encoded(body, format) == frame)
    #expect(try decoded(frame + frame, format) == [body, body])
    #expect(frame.count <= body.count + format.overhead)
  }

  @Test(
    arguments: [
      (.lines(), Array("a\r\nb\n\r\n\n".utf8), [[97], [98], [], []]),
      (.lines(), Array("a\rb\r\r\n".utf8), [[97, 13, 98, 13]]),
      (.lines(maximumBodySize: 3), Array("abc\r\nabc\n".utf8), [[97, 98, 99], [97, 98, 99]]),
      (.varint(), [0x81, 0x80, 0, 7], [[7]]),
      (.delimited(by: [1, 1, 2]), [1, 1, 1, 2, 1, 1, 2], [[1], []]),
    ] as [(FrameFormat, [UInt8], [[UInt8]])])
  func `what others may write is read`(format: FrameFormat, bytes: [UInt8], frames: [[UInt8]]) throws {
    #expect(try decoded(bytes, format) == frames)
    var decoder = FrameDecoder(format: format)
    var taken: [[UInt8]] = []
    for byte in bytes {
      decoder.append(contentsOf: [byte])
      while let frame = try decoder.nextFrame() { taken.append(frame) }
    }
    #expect(taken == frames)
  }

  @Test(
    arguments: [
      (.header(prefix: [1, 2]), [1, 3], .wrongPrefix),
      (.header(prefix: [1, 2]), [9], .wrongPrefix),
      (.header(fieldsBefore: 1, lengthCounts: .lengthAndAfter), [9, 0, 0, 0, 3], .lengthSmallerThanItself),
      (.header(fieldsBefore: 1, maximumBodySize: 10), [9, 0, 0, 0, 10], .bodyTooLarge),
      (.header(fieldsBefore: 1, lengthWidth: .eight), [9] + [UInt8](repeating: 255, count: 8), .bodyTooLarge),
      (.varint(maximumBodySize: 10), [11], .bodyTooLarge),
      (.varint(), [UInt8](repeating: 255, count: 9) + [1], .bodyTooLarge),
      (.varint(), [UInt8](repeating: 255, count: 9) + [2], .malformed),
      (.varint(), [UInt8](repeating: 128, count: 10), .malformed),
      (.lines(maximumBodySize: 3), Array("abcd\n".utf8), .bodyTooLarge),
      (.lines(maximumBodySize: 3), Array("abcd\r".utf8), .bodyTooLarge),
      (.delimited(by: [0], maximumBodySize: 3), [1, 2, 3, 4], .bodyTooLarge),
      (FrameFormat(CheckedLayout(maximumBodySize: 3)), [4], .bodyTooLarge),
      (FrameFormat(CheckedLayout(maximumBodySize: 3)), [1, 7, 8], .malformed),
      (.lines(), Array("no end".utf8), .truncated),
      (.header(prefix: [1], fieldsBefore: 2), [1, 1], .truncated),
      (.varint(), [2, 1], .truncated),
    ] as [(FrameFormat, [UInt8], FramingError.Code)])
  func `what is no frame is refused`(format: FrameFormat, bytes: [UInt8], code: FramingError.Code) {
    let error = #expect(throws: FramingError.self) { try decoded(bytes, format) }
    #expect(error?.code == code)
    #expect(error.map { "\($0)".unicodeScalars.allSatisfy { $0.value >= 32 } } == true)
  }

  @Test func `a wrong prefix is refused with its first wrong byte`() throws {
    var decoder = FrameDecoder(format: .header(prefix: [1, 2, 3], lengthWidth: .one))
    decoder.append(contentsOf: [1])
    #expect(try decoder.nextFrame() == nil)
    decoder.append(contentsOf: [9])
    #expect(throws: FramingError.self) { try decoder.nextFrame() }
  }

  @Test(
    arguments: [
      (.header(fieldsBefore: 2, fieldsAfter: 1), [1, 2], .bodyTooSmall),
      (.header(fieldsBefore: 2, fieldsAfter: 1, maximumBodySize: 5), [1, 2, 3, 4, 5, 6], .bodyTooLarge),
      (.header(prefix: [0], lengthWidth: .one, maximumBodySize: 1000), [UInt8](repeating: 0, count: 256), .bodyTooLarge),
      (.lines(), Array("a\nb".utf8), .delimiterInBody),
      (.lines(), Array("a\r".utf8), .delimiterInBody),
      (.lines(maximumBodySize: 3), Array("abcd".utf8), .bodyTooLarge),
      (.delimited(by: [1, 1]), [7, 1], .delimiterInBody),
      (.delimited(by: [1, 1]), [1], .delimiterInBody),
      (.delimited(by: [1, 2, 1]), [1, 2], .delimiterInBody),
      (.varint(maximumBodySize: 3), [1, 2, 3, 4], .bodyTooLarge),
    ] as [(FrameFormat, [UInt8], FramingError.Code)])
  func `what cannot be sent is refused, and nothing is written`(
    format: FrameFormat, body: [UInt8], code: FramingError.Code
  ) throws {
    var output: [UInt8] = [99]
    for encode in [{ try $0.encode(body, into: &$1) }, { try $0.encode(body.span, into: &$1) }]
      as [(FrameEncoder, inout [UInt8]) throws -> Void]
    {
      let error = #expect(throws: FramingError.self) { try encode(FrameEncoder(format: format), &output) }
      #expect(error?.code == code)
    }
    #expect(output == [99])
  }

  @Test(arguments: everyLayout)
  func `formats are equal when their layouts are`(format: FrameFormat) {
    #expect(format == format)
    #expect(everyLayout.count { $0 == format } == 1)
    #expect(Set(everyLayout + everyLayout).count == everyLayout.count)
    #expect(everyLayout.count { $0.hashValue == format.hashValue } == 1)
    #expect(format.permitsEmptyFrames == ((try? encoded([], format)) != nil))
    #expect(format.largestBodySize == 200)
  }

  @Test func `a header without prefix and fields is a length`() {
    #expect(FrameFormat.header(lengthWidth: .two) == FrameFormat(lengthWidth: .two))
    #expect(FrameFormat.header(lengthCounts: .frame) == FrameFormat(lengthCountsItself: true))
    #expect(FrameFormat.header(prefix: [1], lengthWidth: .one, lengthCounts: .frame).largestBodySize == 253)
  }

  @Test func `the largest bodies without a choice are 8 KiB of text and 64 KiB of bytes`() {
    #expect([FrameFormat.lines(), .delimited(by: [0])].map(\.largestBodySize) == [8_192, 8_192])
    #expect([FrameFormat.varint(), .header(fieldsBefore: 1)].map(\.largestBodySize) == [65_536, 65_536])
  }

  @Test func `a length that cannot count its own header permits no frame`() {
    let format = FrameFormat.header(prefix: [UInt8](repeating: 7, count: 255), lengthWidth: .one, lengthCounts: .frame)
    #expect(format.largestBodySize == 0)
    let error = #expect(throws: FramingError.self) { try encoded([], format) }
    #expect(error?.code == .bodyTooSmall)
    // One byte less, and there is room for nothing but the header.
    let least = FrameFormat.header(prefix: [UInt8](repeating: 7, count: 254), lengthWidth: .one, lengthCounts: .frame)
    #expect(least.largestBodySize == 0 && (try? encoded([], least))?.last == 255)
  }

  /// Asks for one byte more, for ever, and is asked about each byte once.
  private struct EndlessLayout: FrameLayout {
    let maximumBodySize = 1000
    let overhead = 1

    func scan(_ bytes: Span<UInt8>, seen: Int, limit: Int) throws(FramingError) -> FrameScan {
      #expect(bytes.count - seen == 1)
      return .incomplete(needs: 1)
    }

    func writeHeader(of body: Span<UInt8>, into header: inout OutputSpan<UInt8>) -> Int { 0 }
  }

  @Test func `a layout that never finds an end is ended by the limit, and sees each byte once`() throws {
    var decoder = FrameDecoder(format: FrameFormat(EndlessLayout()))
    for _ in 0..<1000 {
      decoder.append(contentsOf: [1])
      #expect(try decoder.nextFrame() == nil)
      #expect(try !decoder.hasFrame())
    }
    decoder.append(contentsOf: [1])
    let error = #expect(throws: FramingError.self) { try decoder.nextFrame() }
    #expect(error?.code == .bodyTooLarge)
    #expect(decoder.bufferedByteCount == 0)
  }

  @Test func `the limit of a peer that is not admitted holds for layouts`() throws {
    var decoder = FrameDecoder(format: .lines(maximumBodySize: 100))
    decoder.permit(maximumBodySize: 3)
    decoder.append(contentsOf: Array("abc\n".utf8))
    #expect(try decoder.nextFrame() == Array("abc".utf8))
    decoder.permit(maximumBodySize: 1000)
    decoder.append(contentsOf: Array("abcdef\n".utf8))
    #expect(try decoder.nextFrame()?.count == 6)
    decoder.permit(maximumBodySize: 3)
    decoder.append(contentsOf: Array("abcdef\n".utf8))
    #expect(throws: FramingError.bodyTooLarge(announced: 4, permitted: 3)) { try decoder.nextFrame() }
  }

  @Test(arguments: [
    FrameFormat(lengthWidth: .one), FrameFormat(lengthWidth: .one, lengthCountsItself: true), .varint(), .lines(),
  ])
  func `empty frames are dropped up to one that is not`(format: FrameFormat) throws {
    var bytes: [UInt8] = []
    for body: [UInt8] in [[], [], [1], [], [2], []] { try FrameEncoder(format: format).encode(body, into: &bytes) }
    var decoder = FrameDecoder(format: format)
    decoder.dropEmptyFrames()
    decoder.append(contentsOf: bytes)
    decoder.dropEmptyFrames()
    #expect(try decoder.nextFrame() == [1])
    decoder.dropEmptyFrames()
    #expect(try decoder.nextFrame() == [2])
    decoder.dropEmptyFrames()
    #expect(decoder.bufferedByteCount == 0)
  }

  @Test(
    arguments: [
      (.header(prefix: [1], fieldsBefore: 2), [1, 1], 5), (.header(fieldsBefore: 1), [9, 0, 0, 0, 5, 1], 4),
      (.varint(), [0x80], 1), (.varint(), [3, 1], 2), (.lines(), Array("no end".utf8), 1),
      (FrameFormat(CheckedLayout(maximumBodySize: 200)), [4, 1], 4),
    ] as [(FrameFormat, [UInt8], Int)])
  func `an end inside a frame tells what is missing at least`(format: FrameFormat, bytes: [UInt8], missing: Int) {
    let error = #expect(throws: FramingError.self) { try decoded(bytes, format) }
    #expect(error?.code == .truncated && error?.missing == missing)
  }
}
