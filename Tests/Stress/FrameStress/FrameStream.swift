import TestSupport
import _BonjourishBase

/// The frames of one direction of a connection, one after another: made by the sender, and checked by the receiver.
///
/// A body is the UInt32 number of the connection, the direction, the UInt64 number of the frame, random bytes, and a UInt32
/// checksum of all that.
struct FrameStream {
  static let largestBodySize = 60_000
  private static let leastBodySize = 17

  private let connection: Int
  private let direction: StressPlan.Direction
  private var generator: SeededGenerator
  private(set) var number: UInt64 = 0

  init(_ connection: Int, _ direction: StressPlan.Direction, seed: UInt64) {
    self.connection = connection
    self.direction = direction
    generator = SeededGenerator(seed: seed &* 31 &+ UInt64(connection * 2) &+ UInt64(direction.rawValue))
  }

  /// The next body to be sent.
  mutating func next() -> [UInt8] {
    let size = size()
    let body = [UInt8](capacity: size) { output in
      append(UInt64(connection), 4, to: &output)
      output.append(direction.rawValue)
      append(number, 8, to: &output)
      var random: UInt64 = 0
      for index in 0..<(size - Self.leastBodySize) {
        if index & 7 == 0 { random = generator.next() }
        output.append(UInt8(truncatingIfNeeded: random))
        random >>= 8
      }
      append(UInt64(Self.checksum(output.span)), 4, to: &output)
    }
    number += 1
    return body
  }

  /// Mostly small frames, so that many come together, and some that no single read takes.
  private mutating func size() -> Int {
    let largest =
      switch generator.number(in: 0..<1000) {
      case 0..<600: 80
      case 600..<950: 400
      case 950..<998: 4000
      default: Self.largestBodySize
      }
    return generator.number(in: Self.leastBodySize..<largest + 1)
  }

  /// Takes a body as the next that came.
  ///
  /// - Throws: ``StressFailure`` when it is not the one that was sent.
  mutating func check(_ body: Span<UInt8>) throws(StressFailure) {
    guard body.count >= Self.leastBodySize else { throw failure("is of \(body.count) bytes") }
    let end = body.count - 4
    guard Self.read(body, 0..<4) == UInt64(connection), body[4] == direction.rawValue else {
      throw failure("is one of another connection")
    }
    let came = Self.read(body, 5..<13)
    guard came == number else { throw failure("is number \(came)") }
    guard Self.read(body, end..<body.count) == UInt64(Self.checksum(body.extracting(..<end))) else {
      throw failure("is not what was sent")
    }
    number += 1
  }

  private func failure(_ what: String) -> StressFailure {
    StressFailure("Frame \(number) \(direction) of connection \(connection) \(what)")
  }

  private func append(_ value: UInt64, _ count: Int, to output: inout OutputSpan<UInt8>) {
    for place in 0..<count { output.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * place))) }
  }

  private static func read(_ body: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    range.reversed().reduce(0) { $0 << 8 | UInt64(body[$1]) }
  }

  /// FNV-1a.
  private static func checksum(_ bytes: Span<UInt8>) -> UInt32 {
    var sum: UInt32 = 2_166_136_261
    for index in bytes.indices { sum = (sum ^ UInt32(bytes[index])) &* 16_777_619 }
    return sum
  }
}
