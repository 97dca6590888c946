import _BonjourishBase
import _FramedWebProtocol

/// A frame as a peer would send it, and forms that no peer may send.
struct Frame {
  var first: UInt8
  var payload: [UInt8]
  /// The length as it is written: its seven bits and the bytes after them; by default the shortest form.
  var length: [UInt8]?
  /// Whether it is masked although it should not be, or the other way round.
  var isWronglyMasked = false

  init(_ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0) {
    first = opcode | (isFinal ? 0x80 : 0) | reserved
    self.payload = payload
  }

  static func text(_ text: String, isFinal: Bool = true) -> Frame { Frame(1, Array(text.utf8), isFinal: isFinal) }
  static func text(_ bytes: [UInt8], isFinal: Bool = true) -> Frame { Frame(1, bytes, isFinal: isFinal) }
  static func binary(_ bytes: [UInt8], isFinal: Bool = true) -> Frame { Frame(2, bytes, isFinal: isFinal) }
  static func more(_ bytes: [UInt8], isFinal: Bool = false) -> Frame { Frame(0, bytes, isFinal: isFinal) }
  static func more(_ text: String, isFinal: Bool = false) -> Frame { Frame(0, Array(text.utf8), isFinal: isFinal) }
  static func last(_ text: String) -> Frame { more(text, isFinal: true) }
  static func ping(_ text: String = "") -> Frame { Frame(9, Array(text.utf8)) }
  static func pong(_ text: String = "") -> Frame { Frame(10, Array(text.utf8)) }
  static func close(_ payload: [UInt8]) -> Frame { Frame(8, payload) }
  static func close(_ code: UInt16, _ reason: String = "") -> Frame {
    close([UInt8(code >> 8), UInt8(code & 255)] + reason.utf8)
  }

  func with(length: [UInt8]) -> Frame {
    var frame = self
    frame.length = length
    return frame
  }

  var wronglyMasked: Frame {
    var frame = self
    frame.isWronglyMasked = true
    return frame
  }

  /// The bytes that a reader of a role gets.
  func bytes(for role: WebSocketRole, mask: [UInt8] = [0xA1, 0x02, 0xFF, 0x5C]) -> [UInt8] {
    let count = payload.count
    let shortest: [UInt8] =
      count < 126
      ? [UInt8(count)]
      : count <= 0xFFFF
        ? [126, UInt8(count >> 8), UInt8(count & 255)] : [127] + (0..<8).reversed().map { UInt8(count >> (8 * $0) & 255) }
    var length = length ?? shortest
    guard (role == .server) != isWronglyMasked else { return [first] + length + payload }
    length[0] |= 0x80
    return [first] + length + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
  }
}

/// What a reader tells about a stream, with the messages put together.
enum Told: Equatable {
  case message([UInt8])
  case ping([UInt8])
  case pong([UInt8])
  case close(UInt16, String)
  case violation(UInt16)

  static func text(_ text: String) -> Told { .message(Array(text.utf8)) }
}

/// Reads a stream in pieces.
///
/// - Parameters:
///   - size: The size of the next piece.
///   - room: The room for the next payload.
func read(
  _ stream: [UInt8], as role: WebSocketRole, _ messages: WebSocketMessages = .any, limit: Int = 100_000,
  pieces size: () -> Int = { .max }, room: () -> Int = { .max }
) -> [Told] {
  var reader = WebSocketReader(role, messages, limit: limit)
  var told: [Told] = []
  var message: [UInt8] = []
  var start = 0
  do throws(WebSocketViolation) {
    while start < stream.count {
      let piece = Array(stream[start..<start + min(size(), stream.count - start)])
      start += piece.count
      var offset = 0
      reading: while true {
        switch try reader.next(piece.span, from: &offset, room: room()) {
        case .needsMore: break reading
        case .whole(let range, let mask):
          message = piece[range].enumerated().map { $1 ^ mask.maskByte($0) }
          try reader.checkWhole(message.span)
          told.append(.message(message))
        case .message: message = []
        case .payload(let range, let mask):
          let part = piece[range].enumerated().map { $1 ^ mask.maskByte($0) }
          try reader.check(part.span)
          message += part
        case .end: told.append(.message(message))
        case .ping(let payload): told.append(.ping(payload))
        case .pong(let payload): told.append(.pong(payload))
        case .close(let close): told.append(.close(close.code.rawValue, close.reason))
        }
      }
    }
  } catch {
    told.append(.violation(error.code.rawValue))
  }
  return told
}

extension SeededGenerator {
  mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &self) }
}
