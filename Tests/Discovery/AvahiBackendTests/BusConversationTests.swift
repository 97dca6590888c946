#if Avahi
import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishEventLoop
import _BonjourishSystemBus

/// What is said to a bus, and what comes of its answers.
@Suite(.timeLimit(.minutes(1))) struct BusConversationTests {
  private static let bus = "org.freedesktop.DBus"
  private static let avahi = "org.freedesktop.Avahi"

  /// Converses on a thread of its own, as everything in it blocks.
  private func converse<Result: Sendable>(
    with bus: FakeBus, within limit: Duration = .seconds(20), _ body: @escaping @Sendable (BusConversation) throws -> Result
  ) async throws -> Result {
    try await blocking { try body(BusConversation(with: bus.path, by: .now + limit)) }
  }

  @Test(arguments: [false, true]) func `a call has its names and arguments, and returns the first value`(isAbstract: Bool)
    async throws
  {
    let bus = try FakeBus(isAbstract: isAbstract)
    let value = try await converse(with: bus) { conversation in
      try conversation.begin()
      let none = try conversation.call("Reload", of: Self.bus, at: "/a", in: Self.bus)
      #expect(none == nil)
      return try conversation.call(
        "GetState", of: "org.freedesktop.Avahi.Server", at: "/", in: Self.avahi, .uint32(7), .text("x"))
    }
    #expect(value == .int32(2))
    let user = "\(geteuid())".utf8.map { String($0, radix: 16) }.joined()
    #expect(bus.lines == ["\0AUTH EXTERNAL \(user)\r", "BEGIN\r"])
    #expect(
      bus.calls == [
        .init(
          connection: 1, member: "Hello", interface: Self.bus, path: "/org/freedesktop/DBus", destination: Self.bus,
          values: []),
        .init(connection: 1, member: "Reload", interface: Self.bus, path: "/a", destination: Self.bus, values: []),
        .init(
          connection: 1, member: "GetState", interface: "org.freedesktop.Avahi.Server", path: "/", destination: Self.avahi,
          values: [.uint32(7), .text("x")]),
      ])
    await bus.untilLeft()
  }

  @Test func `a call that fails throws the name of the error and its text`() async throws {
    let bus = try FakeBus()
    bus.refuse("Do", with: "a.b.Denied")
    try await converse(with: bus) { conversation in
      try conversation.begin()
      #expect(throws: BusConversation.Failure.error(name: "a.b.Denied", text: "no Do")) {
        try conversation.call("Do", of: Self.bus, at: "/", in: Self.bus)
      }
      // The next one is another call.
      let state = try conversation.call("GetState", of: Self.avahi, at: "/", in: Self.avahi)
      #expect(state == .int32(2))
    }
  }

  @Test func `signals that come before an answer or after it are kept by their names, up to a limit`() async throws {
    let bus = try FakeBus()
    try await converse(with: bus) { conversation in
      try conversation.begin()
      #expect(try conversation.values(ofSignal: "S") == [])
      bus.say("S", of: "a.b", at: "/", [.uint32(1), .uint32(9)])
      bus.say("T", of: "a.b", at: "/", [.uint32(2)])
      bus.say("S", of: "a.b", at: "/")
      _ = try conversation.call("Do", of: Self.bus, at: "/", in: Self.bus)
      bus.say("S", of: "a.b", at: "/", [.uint32(3)])
      #expect(try conversation.values(ofSignal: "S") == [.uint32(1), .uint32(3)])
      #expect(try conversation.values(ofSignal: "T") == [.uint32(2)])
      // 1,024 are kept, and 4 are there.
      for number in 0..<1_100 as Range<UInt32> {
        bus.say("U", of: "a.b", at: "/", [.uint32(number)])
        // No more than a socket takes.
        if number % 100 == 99 { _ = try conversation.call("Do", of: Self.bus, at: "/", in: Self.bus) }
      }
      let kept = try conversation.values(ofSignal: "U")
      #expect(kept == (0..<1_020).map { .uint32($0) })
    }
  }

  @Test(arguments: [
    (FakeBus.Manner.answers("REJECTED EXTERNAL"), BusConversation.Failure.rejected), (.answers("ERROR"), .ended),
    (.answers("OK"), .ended), (.leaves, .ended),
  ])
  func `a bus that does not accept this user says so or ends`(manner: FakeBus.Manner, failure: BusConversation.Failure)
    async throws
  {
    let bus = try FakeBus(manner)
    await #expect(throws: failure) { try await converse(with: bus) { _ in } }
  }

  @Test func `a bus that does not speak D-Bus, or leaves, ends the conversation`() async throws {
    let stammering = try FakeBus(.stammers)
    await #expect(throws: BusConversation.Failure.ended) { try await converse(with: stammering) { try $0.begin() } }
    let leaving = try FakeBus()
    await #expect(throws: BusConversation.Failure.ended) {
      try await converse(with: leaving) { conversation in
        try conversation.begin()
        leaving.hangUp()
        _ = try conversation.call("Do", of: Self.bus, at: "/", in: Self.bus)
      }
    }
  }

  @Test func `after the deadline nothing is waited for`() async throws {
    let bus = try FakeBus()
    await #expect(throws: BusConversation.Failure.timedOut) {
      try await converse(with: bus, within: .milliseconds(-1)) { _ in }
    }
  }

  @Test func `a path that is too long for a socket is an error`() {
    let long = "/" + String(repeating: "x", count: MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1)
    #expect(throws: BusConversation.Failure.system(SystemError("connect", errno: ENAMETOOLONG))) {
      _ = try BusConversation(with: long, by: .now + .seconds(1))
    }
    #expect(throws: BusConversation.Failure.system(SystemError("connect", errno: ENOENT))) {
      _ = try BusConversation(with: String(long.dropLast()), by: .now + .seconds(1))
    }
  }

  /// In a process of its own, because the environment belongs to the process.
  @Test func `the environment names the bus, and else it is where Debian has it`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("DBUS_SYSTEM_BUS_ADDRESS")
      guard BusConversation.path == "/run/dbus/system_bus_socket" else { exit(2) }
      setenv("DBUS_SYSTEM_BUS_ADDRESS", "", 1)
      guard BusConversation.path == "/run/dbus/system_bus_socket" else { exit(3) }
      setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/a", 1)
      guard BusConversation.path == "/a" else { exit(4) }
      setenv("DBUS_SYSTEM_BUS_ADDRESS", "tcp:host=a", 1)
      guard BusConversation.path == nil else { exit(5) }
    }
  }
}
#endif
