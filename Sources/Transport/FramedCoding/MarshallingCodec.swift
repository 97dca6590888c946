/// A codec for ``Marshallable`` messages. A body contains exactly one message.
public struct MarshallingCodec<Message: Marshallable>: MessageCodec {
  /// The layout of strings.
  public let strings: StringLayout

  /// Creates a codec.
  ///
  /// - Parameters:
  ///   - type: The type of the messages.
  ///   - strings: The layout of strings, the same on both sides.
  public init(_ type: Message.Type = Message.self, strings: StringLayout = .lengthPrefixed) {
    self.strings = strings
  }

  /// Appends the bytes of a message to a body.
  ///
  /// - Throws: The reason why the message cannot be encoded. Nothing has been appended then.
  public func encode(_ message: Message, into body: inout [UInt8]) throws(MessageError) {
    var whole: [UInt8] = []
    swap(&whole, &body)
    var writer = MessageWriter(appendingTo: whole, strings: strings)
    whole = []
    defer { body = writer.bytes }
    try writer.write(message)
  }

  /// Decodes a message from a whole body.
  ///
  /// - Throws: An error with the position and the reason why the body is not a message; `trailingBytes` if bytes follow it.
  public func decode(_ body: [UInt8]) throws(MessageError) -> Message {
    var reader = MessageReader(body, strings: strings)
    let message = try reader.read(Message.self)
    try reader.expectEnd()
    return message
  }
}
