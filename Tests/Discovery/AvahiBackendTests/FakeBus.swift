#if Avahi
import CBonjourishLinux
import Foundation
import TestSupport
import _BonjourishBusProtocol
import _BonjourishEventLoop

/// A system bus with avahi-daemon on it: it notes what it is asked, answers as they do, and says what the test makes it say.
final class FakeBus: Sendable {
  struct Call: Hashable, Sendable {
    /// The number of the connection, from 1.
    let connection: Int
    let member: String
    var interface: String?
    let path: String
    var destination: String?
    let values: [BusValue]
  }

  /// What a program may find in the place of a bus.
  enum Manner: Hashable, Sendable {
    case bus
    /// A line that answers who somebody is.
    case answers(String)
    /// Bytes that are no messages, after a good start.
    case stammers
    case leaves
  }

  private struct State {
    var manner: Manner
    var count = 0
    var open: [Int: CInt] = [:]
    /// The lines that came before the messages.
    var lines: [String] = []
    var calls: [Call] = []
    /// The errors with which methods are answered.
    var refusals: [String: String] = [:]
    var hasDaemon = true
    /// Of the daemon: 1 while it chooses a name for the host, 2 when it has one.
    var serverState: Int32 = 2
    var serial: UInt32 = 0
    var objects: [(path: String, call: Call)] = []
    /// The groups in which nothing is yet. The backend makes and frees one now and then, to see whether the daemon answers.
    var emptyGroups: [String: Call] = [:]
    var objectCount = 0

    mutating func send(_ message: BusMessage, to connection: Int) {
      guard let number = open[connection] else { return }
      var message = message
      serial += 1
      message.serial = serial
      Self.send(message.encoded, to: number)
    }

    static func send(_ bytes: [UInt8], to number: CInt) {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes { CBonjourishLinux.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }

    /// What a method returns.
    mutating func values(for call: Call) -> [BusValue] {
      switch call.member {
      case "Hello": return [.text(":1.\(call.connection)")]
      case "GetAPIVersion": return [.uint32(0x203)]
      case "GetState": return [.int32(call.path == "/" ? serverState : 0)]
      case "GetHostNameFqdn": return [.text("h1.local")]
      case "EntryGroupNew", "RecordBrowserNew", "RecordBrowserPrepare":
        objectCount += 1
        let path = "/object\(objectCount)"
        if call.member == "EntryGroupNew" { emptyGroups[path] = call } else { objects.append((path, call)) }
        return [.path(path)]
      case "Free":
        emptyGroups[call.path] = nil
        return []
      default:
        if call.member.hasPrefix("Add"), let group = emptyGroups.removeValue(forKey: call.path) {
          objects.append((call.path, group))
        }
        return []
      }
    }
  }

  private final class Descriptor: Sendable {
    let owned: OwnedDescriptor

    init(_ owned: consuming OwnedDescriptor) { self.owned = owned }
  }

  /// The path of the socket, as ``BusConversation`` takes it.
  let path: String
  private let listener: Descriptor
  private let state: Observed<State>

  /// - Parameter isAbstract: Whether the socket has no file.
  init(_ manner: Manner = .bus, isAbstract: Bool = false) throws {
    path = (isAbstract ? "\0" : NSTemporaryDirectory()) + "bus-\(UUID().uuidString)"
    listener = Descriptor(try localListener(at: path))
    state = Observed(State(manner: manner))
    startThread { [listener, state] in
      while case let peer = accept(listener.owned.number, nil, nil), peer >= 0 {
        let connection = state.change { state in
          state.count += 1
          state.open[state.count] = peer
          return state.count
        }
        startThread {
          Self.serve(connection, at: peer, state)
          state.change { $0.open[connection] = nil }
          close(peer)
        }
      }
    }
  }

  deinit {
    // The thread that accepts ends with this, and closes the listener.
    shutdown(listener.owned.number, CInt(SHUT_RDWR))
    if !path.hasPrefix("\0") { unlink(path) }
    endConnections()
  }

  // MARK: - A connection

  private static func serve(_ connection: Int, at number: CInt, _ state: Observed<State>) {
    /// Nil when the other side has closed.
    func receive() -> [UInt8]? {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(number, &buffer, buffer.count, 0)
      return count > 0 ? Array(buffer[..<count]) : nil
    }
    var received: [UInt8] = []
    let manner = state.value(\.manner)
    while true {
      while let end = received.firstIndex(of: 0x0A) {
        let line = String(decoding: received[..<end], as: UTF8.self)
        received.removeSubrange(...end)
        state.change { $0.lines.append(line) }
        if manner == .leaves { return }
        if line.hasPrefix("BEGIN") {
          if manner == .stammers { State.send([UInt8](repeating: 0x21, count: 64), to: number) }
          return talk(connection, received, receive, state)
        }
        var answer = line.contains("AUTH") ? "OK 0123456789abcdef0123456789abcdef" : "ERROR"
        if case .answers(let other) = manner { answer = other }
        State.send(Array("\(answer)\r\n".utf8), to: number)
      }
      guard let more = receive() else { return }
      received += more
    }
  }

  private static func talk(_ connection: Int, _ first: [UInt8], _ receive: () -> [UInt8]?, _ state: Observed<State>) {
    var stream = BusStream()
    var received: [UInt8]? = first
    while let bytes = received {
      stream.append(bytes)
      while let message = try? stream.next() {
        guard message.kind == .call, let member = message.member, let path = message.path else { continue }
        let call = Call(
          connection: connection, member: member, interface: message.interface, path: path, destination: message.destination,
          values: message.body ?? [])
        state.change { state in
          if member != "Free" || state.emptyGroups[path] == nil { state.calls.append(call) }
          let sender = BusCall(sender: ":1.\(connection)", serial: message.serial)
          let missing =
            state.hasDaemon || call.destination != "org.freedesktop.Avahi" ? nil : "org.freedesktop.DBus.Error.ServiceUnknown"
          if let error = missing ?? state.refusals[member] {
            state.send(.error(error, "no \(member)", to: sender), to: connection)
          } else {
            state.send(.answer(to: sender, state.values(for: call)), to: connection)
          }
        }
      }
      received = receive()
    }
  }

  // MARK: - What the test sees and says

  var lines: [String] { state.value(\.lines) }
  var calls: [Call] { state.value(\.calls) }
  var openConnections: Int { state.value(\.open.count) }

  /// The calls of a method, when there are so many.
  func calls(_ member: String, count: Int = 1) async -> [Call] {
    await state.take { state in
      let calls = state.calls.filter { $0.member == member }
      return calls.count >= count ? calls : nil
    } ?? []
  }

  /// The paths of the browsers and of the groups with something in them, with the calls that made them, when there are so many.
  func objects(_ count: Int) async -> [(path: String, call: Call)] {
    await state.take { $0.objects.count >= count ? $0.objects : nil } ?? []
  }

  /// Returns when nobody is connected any more.
  func untilLeft() async { await state.take { $0.open.isEmpty ? () : nil } }

  /// Has a method answered with an error, or again without one.
  func refuse(_ member: String, with error: String?) { state.change { $0.refusals[member] = error } }

  /// Says something to everyone who is connected.
  func say(_ member: String, of interface: String, at path: String, _ values: [BusValue] = []) {
    state.change { state in
      for connection in state.open.keys {
        state.send(.signal(member, of: interface, at: path, to: nil, values), to: connection)
      }
    }
  }

  /// Lets the daemon choose a name for the host (1), or have one (2).
  func setServer(_ number: Int32) {
    state.change { $0.serverState = number }
    say("StateChanged", of: "org.freedesktop.Avahi.Server", at: "/", [.int32(number), .text("org.freedesktop.Avahi.Success")])
  }

  /// Starts or ends the daemon.
  func setDaemon(_ isThere: Bool) {
    state.change { $0.hasDaemon = isThere }
    let owner = BusValue.text(":1.1000")
    say(
      "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
      [.text("org.freedesktop.Avahi"), isThere ? .text("") : owner, isThere ? owner : .text("")])
  }

  /// Takes the daemon away without a word, before anybody looks for it.
  func beginWithoutDaemon() { state.change { $0.hasDaemon = false } }

  /// Says that nothing more is said.
  func hangUp() {
    state.change { state in
      for number in state.open.values { shutdown(number, CInt(SHUT_WR)) }
    }
  }

  func endConnections() { state.change { state in for number in state.open.values { shutdown(number, CInt(SHUT_RDWR)) } } }
}
#endif
