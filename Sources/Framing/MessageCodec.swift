/// Makes messages into the bodies of frames, and bodies into messages.
///
/// A codec is a value that knows one type of messages, usually an `enum` of all that two peers say to each other.
/// ``MarshallingCodec`` is for messages that write and read themselves. Whatever bytes a codec is given, it returns a message or
/// throws, and reserves no more memory than a small multiple of them.
public protocol MessageCodec<Message>: Sendable {
  /// What it encodes and decodes.
  associatedtype Message: Sendable

  /// Appends the bytes of a message to a body.
  ///
  /// - Throws: Why the message cannot be written; nothing has been appended then.
  func encode(_ message: Message, into body: inout [UInt8]) throws(MessageError)

  /// Makes a message of a whole body.
  ///
  /// - Throws: Where and why the body is not a message.
  func decode(_ body: [UInt8]) throws(MessageError) -> Message
}

extension MessageCodec {
  /// The bytes of a message.
  ///
  /// - Throws: Why the message cannot be written.
  public func encode(_ message: Message) throws(MessageError) -> [UInt8] {
    var body: [UInt8] = []
    try encode(message, into: &body)
    return body
  }
}
