import CBonjourishLinux
import Foundation
import TestSupport
import _BonjourishBusProtocol
import _BonjourishEventLoop

/// A system bus for one program, with avahi-daemon on it. What the program calls is answered by a thread.
final class FakeBus: Sendable {
  /// What is sent when something is called, in this order.
  typealias Answer = @Sendable (BusMessage, BusCall) -> [BusMessage]

  let path: String
  private let listener: OwnedDescriptor
  private let log = Log()

  private final class Log: Sendable {
    let calls = Locked<[BusMessage]>([])
  }

  /// - Parameters:
  ///   - welcome: The answer to the credentials.
  ///   - answer: What is sent for a call.
  init(welcome: String = "OK 0", _ answer: @escaping Answer = FakeBus.healthy) throws {
    path = NSTemporaryDirectory() + "bus-\(UUID().uuidString)"
    listener = try localListener(at: path, backlog: 0)
    startThread { [log, number = listener.number] in
      let peer = OwnedDescriptor(accept(number, nil, nil))
      guard peer.number >= 0, Self.receive(from: peer.number, until: "AUTH EXTERNAL ") != nil else { return }
      Self.send(Array("\(welcome)\r\n".utf8), to: peer.number)
      guard let rest = Self.receive(from: peer.number, until: "BEGIN\r\n") else { return }
      var stream = BusStream()
      stream.append(rest)
      while true {
        while let call = try? stream.next() {
          log.calls.withLock { $0.append(call) }
          let answers = call.member == "Hello" ? [BusMessage.answer(to: Self.call(call), [.text(":1.7")])] : []
          let more = answers.isEmpty ? answer(call, Self.call(call)) : answers
          Self.send(more.flatMap(\.encoded), to: peer.number)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(peer.number, &buffer, buffer.count, 0)
        guard count > 0 else { return }
        stream.append(buffer[..<count])
      }
    }
  }

  deinit { unlink(path) }

  /// What was called after the greeting, as `destination path interface.member arguments`.
  var calls: [String] {
    log.calls.withLock { $0 }.dropFirst().map { call in
      "\(call.destination ?? "-") \(call.path ?? "-") \(call.interface ?? "-").\(call.member ?? "-") \(call.body ?? [])"
    }
  }

  /// Answers as a bus does with a daemon of which nothing is wrong.
  static func healthy(_ message: BusMessage, _ call: BusCall) -> [BusMessage] {
    let value: BusValue? =
      switch message.member {
      case "NameHasOwner": .truth(true)
      case "GetConnectionUnixProcessID": .uint32(77)
      case "GetVersionString": .text("avahi 0.8")
      case "GetHostNameFqdn": .text("ada.local")
      case "GetState": .int32(2)
      case "EntryGroupNew": .path("/Client0/EntryGroup0")
      default: nil
      }
    return [value.map { .answer(to: call, [$0]) } ?? .error("org.freedesktop.DBus.Error.UnknownMethod", "", to: call)]
  }

  private static func call(_ message: BusMessage) -> BusCall { BusCall(sender: ":1.7", serial: message.serial) }

  private static func send(_ bytes: [UInt8], to peer: CInt) {
    _ = CBonjourishLinux.send(peer, bytes, bytes.count, CInt(MSG_NOSIGNAL))
  }

  /// Reads until a text has come, and returns what follows it; nil at the end.
  private static func receive(from peer: CInt, until text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    while true {
      if let range = bytes.firstRange(of: Array(text.utf8)) { return Array(bytes[range.upperBound...]) }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      let count = recv(peer, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }
}
