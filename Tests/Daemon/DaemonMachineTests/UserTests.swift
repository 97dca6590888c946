import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// What all programs of a user may have together.
@Suite struct UserTests {
  /// Three programs of two users.
  private static let users: [String: UInt32?] = [":1.5": 1000, ":1.6": 1000, ":1.7": 0]

  private static func bench(_ change: (inout DaemonLimits) -> Void) -> Bench {
    var settings = DaemonSettings()
    change(&settings.limits)
    var bench = Bench(settings)
    bench.users = users
    return bench
  }

  @Test func `two programs of a user have no more objects than one`() {
    var bench = Self.bench { $0.objects = 64 }
    let counts = [":1.5", ":1.6", ":1.7", ":1.5"].map { client in
      (0..<64).filter { _ in bench.make("EntryGroupNew", by: client, []) != "" }.count
    }
    #expect(counts == [32, 0, 16, 0])
    // What one of them gives up, the other may have.
    bench.machine.end(client: ":1.5")
    #expect(bench.make("EntryGroupNew", by: ":1.6", []) != "")
    #expect(bench.machine.users[.user(1000)] == bench.machine.clients[":1.6"]?.share)
    #expect(bench.machine.users[.user(1000)]?.objects == 1)
  }

  @Test func `two programs of a user have no more entries and bytes than one, and files keep their share`() {
    for limit in [\DaemonLimits.entries, \DaemonLimits.bytes] {
      // A service has 512 bytes and its text.
      var bench = Self.bench { $0[keyPath: limit] = limit == \.entries ? 8 : 8 * 513 }
      let groups = [":1.5", ":1.6", ":1.7"].map { bench.make("EntryGroupNew", by: $0, []) }
      let counts = zip([":1.5", ":1.6", ":1.7"], groups).map { client, group in
        (0..<9).filter { number in
          bench.call("AddService", group, GroupTests.service("\(client) \(number)"), by: client)?.kind == .answer
        }.count
      }
      #expect(counts == [4, 0, 2])
      bench.send(.services(["a": (0..<9).map { StaticService(name: "\($0)", type: "_http._tcp", port: 80) }]))
      guard case .publish(_, let records, _)? = bench.effects.last else { return #expect(Bool(false)) }
      #expect(records.count == 9 * 4)
      for client in [":1.5", ":1.6", ":1.7"] { bench.machine.end(client: client) }
      #expect(bench.machine.users.isEmpty && bench.machine.link.userCalls.isEmpty)
    }
  }

  /// Calls without an answer of the bus; returns the calls for the bus.
  private static func call(_ bench: inout Bench, _ members: [String], by client: String = ":1.5") -> [BusMessage] {
    members.flatMap { member in
      bench.serial += 1
      var call = BusMessage.call(member, of: BusInterface.server.name, at: "/", in: DaemonMachine.name, [])
      (call.serial, call.sender) = (bench.serial, client)
      return bench.machine.handle(.message(call), at: .zero).compactMap { effect in
        if case .send(let message) = effect { message } else { nil }
      }
    }
  }

  @Test func `the bus is asked once for the user of a program, whose calls wait until then`() throws {
    var bench = Bench()
    // What makes no object needs no user.
    #expect(Self.call(&bench, ["GetVersionString"]).map(\.kind) == [.answer])
    let sent = Self.call(&bench, ["EntryGroupNew", "GetVersionString", "EntryGroupNew"])
    let question = try #require(sent.first)
    #expect(sent.count == 1 && question.member == "GetConnectionUnixUser" && question.body == [.text(":1.5")])
    #expect(question.destination == "org.freedesktop.DBus" && bench.machine.objectCount == 0)
    // Others do not wait for it, and only the bus knows.
    #expect(bench.make("EntryGroupNew", by: ":1.6", []) != "")
    for (sender, count) in [(":1.9", 1), ("org.freedesktop.DBus", 3)] {
      var answer = BusMessage(.answer)
      (answer.answers, answer.sender, answer.body) = (question.serial, sender, [.uint32(7)])
      bench.messages = []
      bench.send(.message(answer))
      #expect(bench.machine.objectCount == count)
    }
    let path = BusValue.path("/Client0/EntryGroup1")
    #expect(bench.messages.map(\.body) == [[path], [.text("bonjourish 0")], [.path("/Client0/EntryGroup2")]])
    #expect(bench.machine.users[.user(7)]?.objects == 2)
    #expect(bench.machine.link.userCalls.isEmpty && bench.machine.link.heldBytes == 0)
    #expect(Self.call(&bench, ["EntryGroupNew"]).map(\.kind) == [.answer])
  }

  @Test func `calls that wait for the bus are bounded, and end with their program`() {
    var settings = DaemonSettings()
    var one = Bench(settings)
    _ = Self.call(&one, ["EntryGroupNew"])
    let bytes = one.machine.link.heldBytes
    #expect(bytes > 512)
    settings.limits.bytesHeld = 3 * bytes
    var bench = Bench(settings)
    let sent = Self.call(&bench, Array(repeating: "EntryGroupNew", count: 4)) + Self.call(&bench, ["EntryGroupNew"], by: ":1.6")
    #expect(sent.map(\.member) == ["GetConnectionUnixUser", nil, "GetConnectionUnixUser", nil])
    #expect(sent.compactMap(\.errorName) == Array(repeating: "org.freedesktop.Avahi.TooManyObjectsError", count: 2))
    bench.machine.end(client: ":1.5")
    #expect(bench.machine.link.heldBytes == 0)
    #expect(Self.call(&bench, ["EntryGroupNew"], by: ":1.6").isEmpty && bench.machine.link.heldBytes == bytes)
  }

  @Test func `what a call that waits takes in memory is counted, and none with other arguments waits`() throws {
    var bench = Bench()
    func call(_ member: String, _ values: [BusValue], at path: String = "/") -> BusMessage? {
      var call = BusMessage.call(member, of: BusInterface.server.name, at: path, in: DaemonMachine.name, values)
      (call.serial, call.sender) = (7, ":1.5")
      let effects = bench.machine.handle(.message(call), at: .zero)
      for case .send(let message) in effects where message.answers == 7 { return message }
      return nil
    }
    // Of a program without objects.
    let odd = BusValue.variant(.structure([.text(String(repeating: "a", count: 100_000)), .array(of: "v", [])]))
    #expect(call("EntryGroupNew", [odd])?.errorName == "org.freedesktop.DBus.Error.UnknownMethod")
    #expect(bench.machine.clients.isEmpty)
    #expect(call("EntryGroupNew", []) == nil && bench.machine.clients.count == 1)
    // Of one whose calls wait.
    let before = bench.machine.link.heldBytes
    for values in [[odd], [.array(of: "v", Array(repeating: odd, count: 100))]] as [[BusValue]] {
      #expect(call("GetAlternativeHostName", values)?.kind == .error)
    }
    #expect(bench.machine.link.heldBytes == before)
    let (name, path) = (String(repeating: "a", count: 5_000), "/" + String(repeating: "b", count: 3_000))
    #expect(call("GetAlternativeHostName", [.text(name)], at: path) == nil)
    #expect(bench.machine.link.heldBytes > before + 8_000)
    bench.machine.end(client: ":1.5")
    #expect(bench.machine.link.heldBytes == 0)
    let texts = BusValue.array(of: "ay", Array(repeating: .bytes([]), count: 1_000))
    var group = BusMessage.call("AddService", of: BusInterface.entryGroup.name, at: "/", in: DaemonMachine.name, [])
    group.body = any + [noFlags, .text("a"), .text("_a._tcp"), .text(""), .text(""), .uint16(1), texts]
    #expect(group.memory > 64_000)
  }

  @Test func `each program has a number, and each of its objects another`() {
    var bench = Bench()
    let paths = [":1.5", ":1.6", ":1.5", ":1.7"].map { bench.make("EntryGroupNew", by: $0, []) }
    #expect(
      paths == ["/Client0/EntryGroup1", "/Client1/EntryGroup1", "/Client0/EntryGroup2", "/Client2/EntryGroup1"])
  }

  @Test func `programs whose user nobody knows count for themselves`() {
    var bench = Self.bench { $0.objects = 64 }
    bench.users = [":1.2": nil, ":1.3": nil]
    let counts = (2..<4).map { number in
      (0..<64).filter { _ in bench.make("EntryGroupNew", by: ":1.\(number)", []) != "" }.count
    }
    #expect(counts == [32, 16])
  }

  @Test func `of those who have not read too much together, one of the user with the most is cut off`() throws {
    var bench = Self.bench { $0.bytesUnreadInAll = 100_000 }
    var lookups: [DaemonMachine.LookupID] = []
    for client in [":1.5", ":1.6", ":1.7"] {
      _ = bench.make("ServiceBrowserNew", by: client, any + [.text("_http._tcp"), .text(""), noFlags])
      lookups.append(try #require(bench.lookup("_http._tcp.local", .ptr)))
    }
    func tell(_ place: Int, _ numbers: Range<Int>) {
      for number in numbers where bench.machine.clients.count == 3 {
        let record = pointer("_http._tcp.local", to: "Number \(number)._http._tcp.local")
        bench.send(.answered(lookups[place], .added(record, Bench.link, isOwn: false)))
      }
    }
    // The one with the most is of another user.
    tell(0, 0..<100)
    tell(1, 0..<100)
    tell(2, 0..<150)
    #expect(bench.machine.clients.count == 3)
    tell(1, 100..<150)
    #expect(bench.machine.clients.keys.sorted() == [":1.5", ":1.7"])
  }
}
