package import FramedTransport

/// A call of a method of an actor, as it is sent.
package struct Invocation: Hashable, Sendable {
  package let recipient: ActorKey
  /// The mangled name of the method's thunk.
  package let method: String
  /// A JSON text for each argument.
  package let arguments: [[UInt8]]

  package init(recipient: ActorKey, method: String, arguments: [[UInt8]]) {
    self.recipient = recipient
    self.method = method
    self.arguments = arguments
  }
}

/// The bytes of a call. All numbers are in network byte order.
///
/// A byte that is 0 before a UInt64, the recipient's number, or 1 before a string, its name; a string, the method; then for each
/// argument its number of bytes as Int32, and its JSON text.
package struct InvocationCodec: MessageCodec {
  static let longestMethod = 1024
  static let mostArguments = 64

  package init() {}

  package func encode(_ invocation: Invocation, into body: inout [UInt8]) throws(MessageError) {
    var writer = MessageWriter(appendingTo: body)
    switch invocation.recipient {
    case .number(let number):
      writer.writeUInt8(0)
      writer.writeUInt64(number)
    case .name(let name):
      writer.writeUInt8(1)
      try writer.writeString(name)
    }
    try writer.writeString(invocation.method)
    for argument in invocation.arguments { try writer.writeBytes(argument) }
    body = writer.bytes
  }

  /// Decodes a call. Safe for any bytes.
  package func decode(_ body: [UInt8]) throws(MessageError) -> Invocation {
    var reader = MessageReader(body)
    let recipient: ActorKey =
      switch try reader.readUInt8() {
      case 0: .number(try reader.readUInt64())
      case 1: .name(try reader.readString(upTo: ActorKey.longestName))
      default: throw MessageError(.invalidValue, at: 0, expected: "0 before a number, or 1 before a name")
      }
    let method = try reader.readString(upTo: Self.longestMethod)
    var arguments: [[UInt8]] = []
    while reader.remaining > 0 {
      guard arguments.count < Self.mostArguments else {
        throw MessageError(.tooLarge, at: reader.offset, expected: "at most \(Self.mostArguments) arguments")
      }
      arguments.append(try reader.readBytes())
    }
    return Invocation(recipient: recipient, method: method, arguments: arguments)
  }
}

/// The bytes of a result: a JSON text, or nothing for a method that returns nothing.
struct ResultCodec: MessageCodec {
  func encode(_ result: [UInt8], into body: inout [UInt8]) throws(MessageError) {
    body += result
  }

  func decode(_ body: [UInt8]) throws(MessageError) -> [UInt8] { body }
}
