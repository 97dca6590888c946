import FramedCoding
import Testing

/// Every width, order and way of counting, with a maximum that each of them can announce.
let everyFormat = FrameFormat.LengthWidth.allCases.flatMap { width in
  FrameFormat.ByteOrder.allCases.flatMap { order in
    [false, true].map { counts in
      FrameFormat(lengthWidth: width, byteOrder: order, lengthCountsItself: counts, maximumBodySize: 200)
    }
  }
}

@Suite struct FrameFormatTests {
  @Test func `the standard format is a 32-bit big-endian length of at most 64 KiB`() {
    let format = FrameFormat.standard
    #expect(format.overhead == 4)
    #expect(format.lengthPrefix?.byteOrder == .bigEndian)
    #expect(format.lengthPrefix?.countsItself == false)
    #expect(format.permitsEmptyFrames)
    #expect(format.maximumBodySize == 65_536)
    #expect(format == FrameFormat())
    // A header of nothing but a length is a format with a length.
    #expect(FrameFormat.header() == format)
    #expect(FrameFormat.header(lengthWidth: .two, maximumBodySize: 9) == FrameFormat(lengthWidth: .two, maximumBodySize: 9))
  }

  @Test func `the width bounds what the maximum allows`() {
    #expect(FrameFormat(lengthWidth: .one, maximumBodySize: 1000).largestBodySize == 255)
    #expect(FrameFormat(lengthWidth: .one, lengthCountsItself: true, maximumBodySize: 1000).largestBodySize == 254)
    #expect(FrameFormat(lengthWidth: .two, maximumBodySize: 65_536).largestBodySize == 65_535)
    #expect(FrameFormat(lengthWidth: .two, maximumBodySize: 1000).largestBodySize == 1000)
    #expect(FrameFormat(lengthWidth: .four, maximumBodySize: .max).largestBodySize == 0xFFFF_FFFF)
    #expect(FrameFormat(lengthWidth: .eight, lengthCountsItself: true, maximumBodySize: .max).largestBodySize == .max)
  }

  @Test(
    arguments: [
      (FrameFormat(), [0, 0, 0, 3]),
      (FrameFormat(lengthCountsItself: true), [0, 0, 0, 7]),
      (FrameFormat(byteOrder: .littleEndian), [3, 0, 0, 0]),
      (FrameFormat(lengthWidth: .one), [3]),
      (FrameFormat(lengthWidth: .two), [0, 3]),
      (FrameFormat(lengthWidth: .two, byteOrder: .littleEndian, lengthCountsItself: true), [5, 0]),
      (FrameFormat(lengthWidth: .eight, byteOrder: .littleEndian), [3, 0, 0, 0, 0, 0, 0, 0]),
      (FrameFormat(lengthWidth: .eight), [0, 0, 0, 0, 0, 0, 0, 3]),
    ] as [(FrameFormat, [UInt8])])
  func `a body of three bytes has this header`(format: FrameFormat, header: [UInt8]) throws {
    var output: [UInt8] = [99]
    try FrameEncoder(format: format).encode([1, 2, 3], into: &output)
    #expect(output == [99] + header + [1, 2, 3])
  }

  @Test(arguments: everyFormat)
  func `a body above the maximum is not encoded`(format: FrameFormat) throws {
    let encoder = FrameEncoder(format: format)
    var output: [UInt8] = []
    try encoder.encode([UInt8](repeating: 7, count: 200), into: &output)
    let size = output.count
    let error = #expect(throws: FramingError.self) {
      try encoder.encode([UInt8](repeating: 7, count: 201), into: &output)
    }
    #expect(error?.code == .bodyTooLarge)
    #expect(error?.announced == 201)
    #expect(error?.permitted == 200)
    #expect(output.count == size)
  }

  @Test func `a body that the width cannot announce is not encoded`() throws {
    let encoder = FrameEncoder(format: FrameFormat(lengthWidth: .one, lengthCountsItself: true))
    var output: [UInt8] = []
    try encoder.encode([UInt8](repeating: 7, count: 254).span, into: &output)
    #expect(output.first == 255)
    let error = #expect(throws: FramingError.self) {
      try encoder.encode([UInt8](repeating: 7, count: 255).span, into: &output)
    }
    #expect(error?.permitted == 254)
    #expect(output.count == 255)
  }
}
