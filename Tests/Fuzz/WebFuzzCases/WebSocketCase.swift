package import FuzzCases
import _FramedWebProtocol

/// A stream of frames, read at once and in pieces: what comes of it is the same, and within its limits.
///
/// The first byte is the role and the kinds of messages, the second the limit, the third how the stream is split; the rest is the stream.
package enum WebSocketCase {
  private static let prefix = 3

  /// What a reader has told about a stream.
  private enum Told: Equatable {
    case message([UInt8])
    case control(WebSocketReader.Step)
    case violation(WebSocketViolation)
  }

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard bytes.count >= prefix else { return }
    let role: WebSocketRole = bytes[0] & 1 == 0 ? .server : .client
    let messages: WebSocketMessages = [.any, .text, .binary, .any][Int(bytes[0] >> 1 & 3)]
    let limit = Int(bytes[1]) * 4
    let stream = Array(bytes[prefix...])
    let whole = try read(stream, role, messages, limit, seed: nil)
    try Violation.unless(read(stream, role, messages, limit, seed: bytes[2]) == whole, "in pieces it is something else")
    for told in whole { try check(told, messages, limit) }
  }

  private static func check(_ told: Told, _ messages: WebSocketMessages, _ limit: Int) throws(Violation) {
    switch told {
    case .message(let message):
      try Violation.unless(message.count <= limit, "a message of \(message.count) bytes, and \(limit) are permitted")
      if messages == .text { try Violation.unless(String(validating: message, as: UTF8.self) != nil, "a text is not UTF-8") }
    case .control(.ping(let payload)), .control(.pong(let payload)):
      try Violation.unless(payload.count <= 125, "a control frame of \(payload.count) bytes")
    case .control(.close(let close)):
      try Violation.unless(close.code.maySend || close.code == .none, "a closing frame with the code \(close.code)")
      let written = try? WebSocketClose(payload: close.payload)
      try Violation.unless(written == close, "a closing frame is not written as it was read")
    case .control, .violation: break
    }
  }

  /// - Parameter seed: How to split the stream; `nil` for not at all.
  private static func read(
    _ stream: [UInt8], _ role: WebSocketRole, _ messages: WebSocketMessages, _ limit: Int, seed: UInt8?
  ) throws(Violation) -> [Told] {
    var reader = WebSocketReader(role, messages, limit: limit)
    var pieces = seed.map { UInt32($0) }
    var told: [Told] = []
    var message: [UInt8] = []
    var announced: Int?
    var isSound = true
    var start = 0
    do throws(WebSocketViolation) {
      while start < stream.count {
        let piece = Array(stream[start..<start + min(next(&pieces), stream.count - start)])
        start += piece.count
        var offset = 0
        var step = try reader.next(piece.span, from: &offset, room: next(&pieces))
        while step != .needsMore {
          switch step {
          case .whole(let range, let mask):
            message = piece[range].enumerated().map { $1 ^ mask.maskByte($0) }
            try reader.checkWhole(message.span)
            told.append(.message(message))
          case .message(let size): (message, announced) = ([], size)
          case .payload(let range, let mask):
            let part = piece[range].enumerated().map { $1 ^ mask.maskByte($0) }
            try reader.check(part.span)
            message += part
          case .end:
            isSound = isSound && (announced == nil || announced == message.count)
            told.append(.message(message))
          case .ping, .pong, .close: told.append(.control(step))
          case .needsMore: break
          }
          step = try reader.next(piece.span, from: &offset, room: next(&pieces))
        }
        isSound = isSound && offset == piece.count
      }
    } catch {
      told.append(.violation(error))
    }
    try Violation.unless(isSound, "a message has another size than announced, or bytes were left unread")
    return told
  }

  /// The size of the next piece, 1–64.
  private static func next(_ pieces: inout UInt32?) -> Int {
    guard let state = pieces else { return .max }
    let following = state &* 1_664_525 &+ 1_013_904_223
    pieces = following
    // Half of them are single bytes.
    return following >> 31 == 0 ? 1 : Int(following >> 25 & 63) + 1
  }
}
