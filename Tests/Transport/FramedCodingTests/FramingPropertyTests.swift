import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@Suite struct FramingPropertyTests {
  @Test(arguments: everyFormat + everyLayout, seeds(2, of: 8))
  func `random frames survive random splits`(format: FrameFormat, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let encoder = FrameEncoder(format: format)
    var bytes: [UInt8] = []
    var sent: [[UInt8]] = []
    for _ in 0..<300 {
      let least = format.permitsEmptyFrames ? 0 : 10
      let body = generator.bytes(count: .random(in: least...format.largestBodySize, using: &generator)).map {
        // What delimits frames is not in a body.
        [10, 13, 35].contains($0) ? $0 + 1 : $0
      }
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

  @Test(arguments: everyFormat + everyLayout, 0..<40 as Range<UInt64>)
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
          // How many bytes a frame had besides its body is the same for each only where that is a length.
          taken = format.lengthPrefix == nil ? given - decoder.bufferedByteCount : taken + format.overhead + frame.count
        }
        #expect(decoder.bufferedByteCount == given - taken, "seed \(seed)")
        #expect(decoder.bufferedByteCount < format.overhead + format.largestBodySize, "seed \(seed)")
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
