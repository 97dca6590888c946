import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishEventLoop

@testable import _BonjourishDaemon

/// A connection to a bus, and what it has told. Sendable: used on its loop only, but for what is locked.
private final class Line: @unchecked Sendable {
  let loop: EventLoop
  private let eventsBox = Locked<[String]>([])
  private let messagesBox = Locked<[BusMessage]>([])
  private var connection: BusConnection?

  var events: [String] { eventsBox.withLock { $0 } }
  var messages: [BusMessage] { messagesBox.withLock { $0 } }

  init(to path: String) async throws {
    loop = try EventLoop(name: "test")
    do {
      try await run { line in
        line.connection = try BusConnection(to: path, on: line.loop) { [unowned line] event in
          switch event {
          case .opened: line.eventsBox.withLock { $0.append("opened") }
          case .received(let message): line.messagesBox.withLock { $0.append(message) }
          case .ended(let reason):
            line.connection = nil
            line.eventsBox.withLock { $0.append(reason) }
          }
        }
      }
    } catch {
      await loop.shutdown()
      throw error
    }
  }

  @discardableResult
  func run<Value: Sendable>(_ body: @escaping @Sendable (Line) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      loop.execute { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// Sends messages in one tick, in which the connection may be closed, too.
  func send(_ messages: [BusMessage], closing: Bool = false) async throws {
    try await run { line in
      for message in messages { line.connection?.send(message) }
      guard closing else { return }
      line.connection?.close()
      line.connection = nil
    }
  }

  func until(_ condition: (Line) -> Bool) async { while !condition(self) { await Task.yield() } }

  func close() async throws {
    try await run { line in
      line.connection?.close()
      line.connection = nil
    }
    await loop.shutdown()
  }
}

/// The connection of the daemon to the bus, with a socket of the test in the place of the bus.
@Suite(.timeLimit(.minutes(1))) struct BusConnectionTests {
  private let folder: TemporaryFolder
  private let bus: FakeBus
  private var path: String { folder.path + "/bus" }

  init() throws {
    folder = try TemporaryFolder()
    bus = try FakeBus(at: folder.path + "/bus")
  }

  private static func message(_ serial: UInt32, _ text: String = "") -> BusMessage {
    var message = BusMessage.call("Ping", of: "org.freedesktop.DBus.Peer", at: "/", in: ":1.5", [.text(text)])
    message.serial = serial
    return message
  }

  @Test func `the program says who it is, and then messages go both ways`() async throws {
    let line = try await Line(to: path)
    try await bus.accept()
    let user = String(geteuid()).utf8.map { String($0, radix: 16) }.joined()
    #expect(try await bus.line() == "\0AUTH EXTERNAL \(user)\r\n")
    // Before it is let in, nothing is sent. The first message comes right behind the answer, which may come in parts.
    try await line.send([Self.message(1)])
    try await bus.send(Array("OK 0123".utf8))
    var early = Self.message(7, "early")
    early.sender = ":1.6"
    try await bus.send(Array("4567\r\n".utf8) + early.encoded)
    #expect(try await bus.line() == "BEGIN\r\n")
    await line.until { !$0.messages.isEmpty }
    #expect(line.events == ["opened"])
    #expect(line.messages.map(\.serial) == [7] && line.messages[0].body == [.text("early")])
    try await line.send([Self.message(2, "a"), Self.message(3, "b")])
    #expect(try await bus.message().serial == 2)
    #expect(try await bus.message().body == [.text("b")])
    // One that is cut in two.
    let bytes = Self.message(8, "cut").encoded
    try await bus.send(Array(bytes.prefix(20)))
    try await bus.send(Array(bytes.dropFirst(20)))
    await line.until { $0.messages.count == 2 }
    #expect(line.messages[1].body == [.text("cut")])
    try await line.close()
  }

  @Test func `what was sent before the connection is closed arrives, and the end is no event`() async throws {
    let line = try await Line(to: path)
    try await bus.welcome()
    await line.until { $0.events == ["opened"] }
    try await line.send([Self.message(9)], closing: true)
    #expect(try await bus.message().serial == 9)
    await #expect(throws: FakeBus.Ended.self) { try await bus.message() }
    #expect(line.events == ["opened"])
    try await line.close()
  }

  @Test(arguments: [
    ("REJECTED EXTERNAL\r\n", "the bus refuses this user: REJECTED EXTERNAL"),
    (String(repeating: "x", count: 1_025), "the bus does not speak D-Bus"),
    (String(repeating: "x", count: 1_024) + "\n", "the bus refuses this user: " + String(repeating: "x", count: 1_024)),
    ("OK 0123\r\nnonsense of sixteen bytes and more", "the bus sent what is not D-Bus"),
  ])
  func `a bus that says something else is left, with the reason`(answer: String, reason: String) async throws {
    let line = try await Line(to: path)
    try await bus.accept()
    _ = try await bus.line()
    try await bus.send(Array(answer.utf8))
    await line.until { $0.events.last == reason }
    #expect(line.events == (answer.hasPrefix("OK") ? ["opened", reason] : [reason]))
    // The connection is closed by then.
    await #expect(throws: (any Error).self) { while true { _ = try await bus.line() } }
    try await line.close()
  }

  @Test func `a bus that ends the connection is told once`() async throws {
    let line = try await Line(to: path)
    try await bus.welcome()
    await line.until { $0.events == ["opened"] }
    bus.hangUp()
    await line.until { $0.events.count > 1 }
    try await line.send([Self.message(1)])
    try await line.close()
    #expect(line.events == ["opened", "the bus has ended the connection"])
  }

  @Test func `while the bus does not read, nothing more is taken from it, and all arrives in the end`() async throws {
    let line = try await Line(to: path)
    try await bus.welcome()
    await line.until { $0.events == ["opened"] }
    let text = String(repeating: "x", count: 200_000)
    let count = 120 as UInt32
    // 24 MB wait.
    for first in stride(from: 1, through: count, by: 10) {
      try await line.send((first..<first + 10).map { Self.message($0, text) })
    }
    try await bus.send(Self.message(500))
    for _ in 0..<3 { try await line.run { _ in } }
    #expect(line.messages.isEmpty)
    for serial in 1...count { #expect(try await bus.message().serial == serial) }
    await line.until { $0.messages.map(\.serial) == [500] }
    try await line.send([Self.message(501)])
    #expect(try await bus.message().serial == 501)
    #expect(line.events == ["opened"])
    try await line.close()
  }

  @Test func `without a bus there is no connection`() async throws {
    for (path, number) in [
      (folder.path + "/none", ENOENT), ("/" + String(repeating: "x", count: 107), ENAMETOOLONG),
      ("/" + String(repeating: "x", count: 106), ENOENT),
    ] {
      let error = await #expect(throws: SystemError.self) { _ = try await Line(to: path) }
      #expect(error?.errno == number)
    }
  }

  @Test func `a bus may have an abstract name`() async throws {
    let name = "\0bonjourish-\(getpid())-bus"
    let bus = try FakeBus(at: name)
    let line = try await Line(to: name)
    try await bus.welcome()
    await line.until { $0.events == ["opened"] }
    try await line.close()
  }
}
