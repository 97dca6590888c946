/// A codec that encodes messages as the bodies of frames, and decodes bodies as messages.
///
/// A codec is a value for one type of messages, usually an `enum` of everything that two peers send each other.
/// ``MarshallingCodec`` is for ``Marshallable`` messages. For any bytes, a codec must return a message or throw, and must reserve
/// no more memory than a small multiple of their number.
public protocol MessageCodec<Message>: Sendable {
  /// The type of the messages.
  associatedtype Message: Sendable

  /// Appends the bytes of a message to a body.
  ///
  /// - Throws: The reason why the message cannot be encoded. Nothing has been appended then.
  func encode(_ message: Message, into body: inout [UInt8]) throws(MessageError)

  /// Decodes a message from a whole body.
  ///
  /// - Throws: An error with the position and the reason why the body is not a message.
  func decode(_ body: [UInt8]) throws(MessageError) -> Message
}

extension MessageCodec {
  /// Returns the bytes of a message.
  ///
  /// - Throws: The reason why the message cannot be encoded.
  public func encode(_ message: Message) throws(MessageError) -> [UInt8] {
    var body: [UInt8] = []
    try encode(message, into: &body)
    return body
  }
}
