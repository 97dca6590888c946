/// A message of D-Bus (D-Bus specification, "Message format").
package struct BusMessage: Hashable, Sendable {
  package enum Kind: UInt8, Sendable {
    case call = 1
    case answer, error, signal
  }

  package var kind: Kind
  /// Whether the sender waits for no answer.
  package var wantsNoAnswer = false
  /// The sender's number of the message; not 0.
  package var serial: UInt32 = 0
  /// The number of the call that this answers.
  package var answers: UInt32?
  package var path: String?
  package var interface: String?
  /// The name of the method or signal.
  package var member: String?
  /// The name of an error, such as "org.freedesktop.DBus.Error.AccessDenied".
  package var errorName: String?
  package var destination: String?
  /// The unique name of the sender. The bus sets it.
  package var sender: String?
  /// The body; nil for one that is not valid, or that was too long to be read.
  package var body: [BusValue]? = []

  /// The longest message that is read, in bytes.
  package static let maximumBytes = 262_144

  package init(_ kind: Kind) { self.kind = kind }

  /// Makes a call.
  package static func call(
    _ member: String, of interface: String, at path: String, in destination: String, _ arguments: [BusValue] = []
  ) -> BusMessage {
    var message = BusMessage(.call)
    (message.member, message.interface, message.path) = (member, interface, path)
    (message.destination, message.body) = (destination, arguments)
    return message
  }

  /// Makes the answer to a call.
  package static func answer(to call: BusCall, _ values: [BusValue] = []) -> BusMessage {
    var message = BusMessage(.answer)
    (message.destination, message.answers, message.wantsNoAnswer) = (call.sender, call.serial, true)
    message.body = values
    return message
  }

  /// Makes the answer to a call that has failed.
  package static func error(_ name: String, _ text: String, to call: BusCall) -> BusMessage {
    var message = BusMessage(.error)
    (message.destination, message.answers, message.wantsNoAnswer) = (call.sender, call.serial, true)
    (message.errorName, message.body) = (name, [.text(text)])
    return message
  }

  /// Makes a signal.
  ///
  /// - Parameter destination: The only program that gets it; nil for all that listen.
  package static func signal(
    _ member: String, of interface: String, at path: String, to destination: String?, _ values: [BusValue] = []
  ) -> BusMessage {
    var message = BusMessage(.signal)
    (message.member, message.interface, message.path) = (member, interface, path)
    (message.destination, message.body, message.wantsNoAnswer) = (destination, values, true)
    return message
  }

  /// The message as it is sent.
  package var encoded: [UInt8] {
    var content = BusWriter()
    for value in body ?? [] { content.value(value) }
    var writer = BusWriter()
    // Version 1; "do not start the destination".
    writer.bytes = [UInt8(ascii: "l"), kind.rawValue, (wantsNoAnswer ? 1 : 0) | 2, 1]
    writer.number(UInt32(truncatingIfNeeded: content.bytes.count))
    writer.number(serial)
    writer.array(alignment: 8) { writer in
      func field(_ code: UInt8, _ value: BusValue?) {
        guard let value else { return }
        writer.value(.structure([.byte(code), .variant(value)]))
      }
      field(1, path.map { .path($0) })
      field(2, interface.map { .text($0) })
      field(3, member.map { .text($0) })
      field(4, errorName.map { .text($0) })
      field(5, answers.map { .uint32($0) })
      field(6, destination.map { .text($0) })
      field(7, sender.map { .text($0) })
      if let body, !body.isEmpty { field(8, .signature(body.map(\.type).joined())) }
    }
    writer.align(8)
    return writer.bytes + content.bytes
  }
}

/// What is needed to answer a call later.
package struct BusCall: Hashable, Sendable {
  package let sender: String
  package let serial: UInt32

  package init(sender: String, serial: UInt32) {
    self.sender = sender
    self.serial = serial
  }
}
