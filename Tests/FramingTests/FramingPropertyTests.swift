import Framing
import TestSupport
import Testing

@Suite struct FramingPropertyTests {
  @Test(arguments: everyFormat, 0..<8 as Range<UInt64>)
  func `random frames survive random splits`(format: FrameFormat, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let encoder = FrameEncoder(format: format)
    var bytes: [UInt8] = []
    var sent: [[UInt8]] = []
    for _ in 0..<300 {
      let body = generator.bytes(count: .random(in: 0...format.largestBodySize, using: &generator))
      sent.append(body)
      if Bool.random(using: &generator) {
        try encoder.encode(body, into: &bytes)
      } else {
        try encoder.encode(body.span, into: &bytes)
      }
    }

    var decoder = FrameDecoder(format: format)
    var received: [[UInt8]] = []
    var position = 0
    while position < bytes.count {
      let longest = [1, 3, 40, 1000].randomElement(using: &generator) ?? 1
      let end = min(bytes.count, position + Int.random(in: 0...longest, using: &generator))
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: decoder.append(contentsOf: bytes[position..<end])
      case 1: decoder.append(bytes.span.extracting(position..<end))
      default:
        decoder.append(upTo: end - position + 10) { output in
          for byte in bytes[position..<end] { output.append(byte) }
        }
      }
      position = end
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: break
      case 1: while let frame = try decoder.nextFrame() { received.append(frame) }
      case 2: if let frame = try decoder.withNextFrame(copy) { received.append(frame) }
      default: try decoder.forEachFrame { received.append(copy($0)) }
      }
    }
    try decoder.forEachFrame { received.append(copy($0)) }
    try decoder.finish()
    #expect(received == sent, "seed \(seed)")
  }

  @Test(arguments: everyFormat, 0..<40 as Range<UInt64>)
  func `random bytes give frames within bounds or an error`(format: FrameFormat, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var decoder = FrameDecoder(format: format)
    var taken = 0
    var given = 0
    do throws(FramingError) {
      for _ in 0..<100 {
        // Few distinct values make small lengths likely, so that not every run ends with the first header.
        let highest: UInt8 = [0, 1, 8, 255].randomElement(using: &generator) ?? 0
        let bytes = (0..<Int.random(in: 0...64, using: &generator)).map { _ in UInt8.random(in: 0...highest, using: &generator)
        }
        decoder.append(contentsOf: bytes)
        given += bytes.count
        while let frame = try decoder.nextFrame() {
          #expect(frame.count <= format.largestBodySize, "seed \(seed)")
          taken += format.headerSize + frame.count
        }
        #expect(decoder.bufferedByteCount == given - taken, "seed \(seed)")
        #expect(decoder.bufferedByteCount < format.headerSize + format.largestBodySize, "seed \(seed)")
      }
      try decoder.finish()
      #expect(given == taken, "seed \(seed)")
    } catch {
      #expect(throws: error) { try decoder.nextFrame() }
    }
  }

  private func copy(_ span: Span<UInt8>) -> [UInt8] {
    span.indices.map { span[$0] }
  }
}
