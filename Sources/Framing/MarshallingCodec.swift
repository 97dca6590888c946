/// Encodes messages that write and read themselves; a body is one message and nothing else.
public struct MarshallingCodec<Message: Marshallable>: MessageCodec {
  /// How strings are laid out.
  public let strings: StringLayout

  /// A codec.
  ///
  /// - Parameters:
  ///   - type: The type of the messages.
  ///   - strings: How strings are laid out; the same on both sides.
  public init(_ type: Message.Type = Message.self, strings: StringLayout = .lengthPrefixed) {
    self.strings = strings
  }

  public func encode(_ message: Message, into body: inout [UInt8]) throws(MessageError) {
    var whole: [UInt8] = []
    swap(&whole, &body)
    var writer = MessageWriter(appendingTo: whole, strings: strings)
    whole = []
    defer { body = writer.bytes }
    try writer.write(message)
  }

  public func decode(_ body: [UInt8]) throws(MessageError) -> Message {
    var reader = MessageReader(body, strings: strings)
    let message = try reader.read(Message.self)
    try reader.expectEnd()
    return message
  }
}
