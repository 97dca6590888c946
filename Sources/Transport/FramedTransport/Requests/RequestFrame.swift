import FramedCoding

/// A frame of the protocol of requests. This comment describes the whole protocol.
///
/// The first byte of a frame's body is the kind. All numbers are in network byte order.
///
/// | kind | then | meaning |
/// | --- | --- | --- |
/// | 1 request | UInt64 number, message | must be answered; the sender chooses the number, which no unanswered request of the
/// same sender may have | | 2 reply | UInt64 number of the request, message | the answer |
/// | 3 failure | UInt64 number of the request, string code, string text | the reason for no reply; code at most 64 bytes, text at
/// most 1,000 | | 4 cancel | UInt64 number of the request | the sender no longer needs the answer |
/// | 5 notification | message | not answered |
/// | 6 ping | nothing | the sender is alive; not answered |
///
/// A string is its number of bytes as Int32, followed by the bytes in UTF-8. The two sides agree on the encoding of messages.
///
/// Every request is answered with one reply or one failure, even after a cancel. The answer means that the other side has
/// finished the request, and that the next one may take its place. A side that receives more requests than it answers at once
/// sends failures with the code `busy`. A frame of an unknown kind is ignored, so that later versions can add kinds. A reply,
/// failure or cancel with an unknown number is ignored, too, because an answer and a cancel can cross on the way. A request with
/// the number of an unanswered request, and any frame that does not match this description, violate the protocol and end the
/// connection.
package enum RequestFrame: Hashable, Sendable {
  case request(UInt64, [UInt8])
  case reply(UInt64, [UInt8])
  case failure(UInt64, RemoteError)
  case cancel(UInt64)
  case notification([UInt8])
  case ping

  private enum Kind: UInt8 {
    case request = 1
    case reply = 2
    case failure = 3
    case cancel = 4
    case notification = 5
    case ping = 6
  }

  /// The number of bytes before the message of a request or reply.
  static let headerSize = 9

  /// The number of bytes before the message of a notification.
  static let notificationHeaderSize = 1

  /// The least body size that a format must permit. It has room for every failure, but not always for its whole text.
  static let leastBodySize = 128

  /// Parses the body of a frame. Safe for any bytes.
  ///
  /// - Returns: The frame; `nil` for an unknown kind, which is ignored.
  /// - Throws: An error with the position where the body violates the protocol.
  package static func parse(_ body: [UInt8]) throws(MessageError) -> RequestFrame? {
    var reader = MessageReader(body)
    guard let kind = Kind(rawValue: try reader.readUInt8()) else { return nil }
    switch kind {
    case .request:
      return .request(try reader.readUInt64(), Array(body[reader.offset...]))
    case .reply:
      return .reply(try reader.readUInt64(), Array(body[reader.offset...]))
    case .failure:
      let number = try reader.readUInt64()
      let error = try RemoteError(from: &reader)
      try reader.expectEnd()
      return .failure(number, error)
    case .cancel:
      let number = try reader.readUInt64()
      try reader.expectEnd()
      return .cancel(number)
    case .notification:
      return .notification(Array(body[reader.offset...]))
    case .ping:
      try reader.expectEnd()
      return .ping
    }
  }

  /// The body of a frame.
  package var encoded: [UInt8] { encoded() }

  /// The body of a frame of at most `limit` bytes: the text of a failure is cut to fit.
  package func encoded(upTo limit: Int = .max) -> [UInt8] {
    var writer = MessageWriter()
    switch self {
    case .request(let number, let message):
      writer.writeUInt8(Kind.request.rawValue)
      writer.writeUInt64(number)
      return writer.bytes + message
    case .reply(let number, let message):
      writer.writeUInt8(Kind.reply.rawValue)
      writer.writeUInt64(number)
      return writer.bytes + message
    case .failure(let number, let error):
      writer.writeUInt8(Kind.failure.rawValue)
      writer.writeUInt64(number)
      error.write(to: &writer, upTo: limit)
      return writer.bytes
    case .cancel(let number):
      writer.writeUInt8(Kind.cancel.rawValue)
      writer.writeUInt64(number)
      return writer.bytes
    case .notification(let message):
      return [Kind.notification.rawValue] + message
    case .ping:
      return [Kind.ping.rawValue]
    }
  }
}
