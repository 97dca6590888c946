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
/// | 7 terms | UInt64 number of a request, UInt32 milliseconds, UInt32 credit | sent before that request: how long its sender waits,
/// and how many items of a streaming reply it takes; all ones for no limit of time, zero for one reply |
/// | 8 item | UInt64 number of the request, message | one of the replies of a stream; it uses one of the credit |
/// | 9 credit | UInt64 number of the request, UInt32 credit | so many more items may be sent |
/// | 10 end | UInt64 number of the request | the stream has no more items; the answer |
///
/// A string is its number of bytes as Int32, followed by the bytes in UTF-8. The two sides agree on the encoding of messages.
///
/// Every request is answered with one reply, one failure or, if its terms have credit, one end, even after a cancel. A side that does
/// not know terms, or that has no streaming reply, answers a request for a stream with one reply: the only item. The answer means that the other side has
/// finished the request, and that the next one may take its place. A side that receives more requests than it answers at once
/// sends failures with the code `busy`. A frame of an unknown kind is ignored, so that later versions can add kinds. A reply,
/// failure, cancel, item, credit or end with an unknown number is ignored, too, because an answer and a cancel can cross on the way;
/// so are terms that no request follows. A request with the number of an unanswered request, an item without credit, an end for a
/// request without a stream, and any frame that does not match this description, violate the protocol and end the connection.
package enum RequestFrame: Hashable, Sendable {
  case request(UInt64, [UInt8])
  case reply(UInt64, [UInt8])
  case failure(UInt64, RemoteError)
  case cancel(UInt64)
  case notification([UInt8])
  case ping
  case terms(UInt64, RequestTerms)
  case item(UInt64, [UInt8])
  case credit(UInt64, UInt32)
  case end(UInt64)

  private enum Kind: UInt8 {
    case request = 1
    case reply = 2
    case failure = 3
    case cancel = 4
    case notification = 5
    case ping = 6
    case terms = 7
    case item = 8
    case credit = 9
    case end = 10
  }

  /// The number of bytes before the message of a request, reply or item.
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
    case .terms:
      let number = try reader.readUInt64()
      let terms = RequestTerms(milliseconds: try reader.readUInt32(), credit: try reader.readUInt32())
      try reader.expectEnd()
      return .terms(number, terms)
    case .item:
      return .item(try reader.readUInt64(), Array(body[reader.offset...]))
    case .credit:
      let number = try reader.readUInt64()
      let credit = try reader.readUInt32()
      try reader.expectEnd()
      return .credit(number, credit)
    case .end:
      let number = try reader.readUInt64()
      try reader.expectEnd()
      return .end(number)
    }
  }

  /// The body of a frame.
  package var encoded: [UInt8] { encoded() }

  /// The body of a frame of at most `limit` bytes: the text of a failure is cut to fit.
  package func encoded(upTo limit: Int = .max) -> [UInt8] {
    switch self {
    case .request(let number, let message):
      return Self.start(.request, number) + message
    case .reply(let number, let message):
      return Self.start(.reply, number) + message
    case .failure(let number, let error):
      var writer = MessageWriter(appendingTo: Self.start(.failure, number))
      error.write(to: &writer, upTo: limit)
      return writer.bytes
    case .cancel(let number):
      return Self.start(.cancel, number)
    case .notification(let message):
      return [Kind.notification.rawValue] + message
    case .ping:
      return [Kind.ping.rawValue]
    case .terms(let number, let terms):
      var writer = MessageWriter(appendingTo: Self.start(.terms, number))
      writer.writeUInt32(terms.milliseconds)
      writer.writeUInt32(terms.credit)
      return writer.bytes
    case .item(let number, let message):
      return Self.startOfItem(number) + message
    case .credit(let number, let credit):
      var writer = MessageWriter(appendingTo: Self.start(.credit, number))
      writer.writeUInt32(credit)
      return writer.bytes
    case .end(let number):
      return Self.start(.end, number)
    }
  }

  /// The bytes before the message of an item, so that a codec can append the message without a copy.
  static func startOfItem(_ number: UInt64) -> [UInt8] { start(.item, number) }

  private static func start(_ kind: Kind, _ number: UInt64) -> [UInt8] {
    var writer = MessageWriter()
    writer.writeUInt8(kind.rawValue)
    writer.writeUInt64(number)
    return writer.bytes
  }
}
