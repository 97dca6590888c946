import CBonjourishLinux
import TestSupport
import _BonjourishBusProtocol
import _BonjourishEventLoop

/// A bus of the test's making: a listening socket, and the connection that is served. Its calls wait on threads of their own.
///
/// Sendable: the test makes one call after the other.
final class FakeBus: @unchecked Sendable {
  struct Ended: Error {}

  private let listener: OwnedDescriptor
  private var connection: OwnedDescriptor?
  private var received: [UInt8] = []
  private var stream = BusStream()

  /// - Parameter path: The path of the socket; a leading zero byte stands for an abstract name.
  init(at path: String) throws {
    listener = try localListener(at: path)
  }

  /// Waits for a program, in place of the one before.
  func accept() async throws {
    (received, stream) = ([], BusStream())
    connection = OwnedDescriptor(
      try await blocking { try systemCall("accept4") { CBonjourishLinux.accept(self.listener.number, nil, nil) } })
  }

  /// Waits for a program, and lets it in.
  func welcome() async throws {
    try await accept()
    _ = try await line()
    try await send(Array("OK 0123456789abcdef0123456789abcdef\r\n".utf8))
    _ = try await line()
  }

  /// Ends the connection.
  func hangUp() { connection = nil }

  /// A line with its ending.
  func line() async throws -> String {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[...end], as: UTF8.self)
      }
      try await receive()
    }
  }

  /// The next message.
  ///
  /// - Throws: ``Ended`` when the program has ended the connection.
  func message() async throws -> BusMessage {
    while true {
      stream.append(received)
      received = []
      if let message = try stream.next() { return message }
      try await receive()
    }
  }

  /// The next message with a member's name; others are ignored.
  func message(_ member: String) async throws -> BusMessage {
    while true {
      let message = try await message()
      if message.member == member { return message }
    }
  }

  private func receive() async throws {
    guard let number = connection?.number else { throw Ended() }
    let bytes = try await blocking {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = try systemCall("read") { read(number, &buffer, buffer.count) }
      return Array(buffer[..<count])
    }
    guard !bytes.isEmpty else { throw Ended() }
    received += bytes
  }

  func send(_ bytes: [UInt8]) async throws {
    guard let number = connection?.number else { throw Ended() }
    try await blocking {
      var rest = bytes[...]
      while !rest.isEmpty {
        rest = rest.dropFirst(
          try systemCall("send") {
            rest.withUnsafeBytes { CBonjourishLinux.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
          })
      }
    }
  }

  /// Sends a message of a program, or of the bus itself.
  func send(_ message: BusMessage, from sender: String = "org.freedesktop.DBus") async throws {
    var message = message
    message.sender = sender
    if message.serial == 0 { message.serial = 1 }
    try await send(message.encoded)
  }

  /// Answers a call.
  func answer(_ call: BusMessage, _ values: [BusValue]) async throws {
    try await send(.answer(to: BusCall(sender: ":1.1", serial: call.serial), values))
  }
}
