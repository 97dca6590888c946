import Framing

/// What two peers that ask each other say, one in each frame. This is the whole protocol.
///
/// The first byte of a body tells the kind. All numbers are in network order.
///
/// | kind | then | meaning |
/// | --- | --- | --- |
/// | 1 request | UInt64 number, message | to be answered; the number is the sender's choice, and none of a request of the same sender that is not answered yet |
/// | 2 reply | UInt64 number of the request, message | the answer |
/// | 3 failure | UInt64 number of the request, string code, string text | there is no answer; code at most 64 bytes, text at most 1,000 |
/// | 4 cancel | UInt64 number of the request | whoever asked does not need the answer any more |
/// | 5 notification | message | not to be answered |
///
/// A string is its number of bytes as Int32 and UTF-8. The message is whatever the two have agreed on.
///
/// Every request is answered with one reply or one failure, also when it was cancelled: this tells that the other side is done
/// with it, and that another one may take its place. A side that is asked more at once than it answers at once sends failures with
/// the code `busy`. A frame of an unknown kind is ignored, so that later versions can add some; so is a reply, a failure or a
/// cancel of an unknown number, for answer and cancel may pass each other on their way. A request with the number of one that is
/// not answered yet, and a frame that is not as described here, break the rules, and end the connection.
package enum RequestFrame: Hashable, Sendable {
  case request(UInt64, [UInt8])
  case reply(UInt64, [UInt8])
  case failure(UInt64, RemoteError)
  case cancel(UInt64)
  case notification([UInt8])

  private enum Kind: UInt8 {
    case request = 1
    case reply = 2
    case failure = 3
    case cancel = 4
    case notification = 5
  }

  /// The bytes that stand before the message of a request or reply.
  static let headerSize = 9

  /// The smallest maximum of a format that has room for every failure, though perhaps not for the whole of its text.
  static let leastBodySize = 128

  /// Reads the body of a frame; any bytes are safe.
  ///
  /// - Returns: `nil` for a kind that is to be ignored.
  /// - Throws: Where the body breaks the rules.
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
    }
  }

  /// The body of a frame.
  package var encoded: [UInt8] { encoded() }

  /// The body of a frame, with the text of a failure cut so that it has no more bytes than given.
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
    }
  }
}
