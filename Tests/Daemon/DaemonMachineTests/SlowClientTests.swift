import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// Programs that do not read what they are sent.
@Suite struct SlowClientTests {
  private static func settings(_ unread: Int, inAll: Int = .max) -> DaemonSettings {
    var settings = DaemonSettings()
    settings.limits.bytesUnread = unread
    settings.limits.bytesUnreadInAll = inAll
    return settings
  }

  private static func browse(_ bench: inout Bench, _ clients: String...) -> [DaemonMachine.LookupID] {
    for client in clients {
      _ = bench.make("ServiceBrowserNew", by: client, any + [.text("_http._tcp"), .text(""), noFlags])
    }
    return bench.effects.compactMap { if case .ask(let id, _, _, _) = $0 { id } else { nil } }
  }

  private static func tell(_ bench: inout Bench, _ lookup: DaemonMachine.LookupID, _ count: Int) {
    for number in 0..<count {
      let record = pointer("_http._tcp.local", to: "Number \(number)._http._tcp.local")
      bench.send(.answered(lookup, .added(record, Bench.link, isOwn: false)))
    }
  }

  @Test func `a client that is cut off by the signal of its own call ends after the call`() {
    // The state of the group is what is too much.
    var bench = Bench(Self.settings(200))
    let group = bench.make("EntryGroupNew", [])
    bench.call("AddService", group, GroupTests.service())
    #expect(bench.machine.clients[":1.5"]?.share.unread == 8 + group.utf8.count)
    bench.call("Commit", of: "EntryGroup", at: group)
    #expect(bench.machine.clients.isEmpty && bench.machine.objectCount == 0)
    #expect(bench.publications == bench.withdrawals && bench.publications.count == 1)
    #expect(bench.machine.unreadCount == 0 && bench.machine.link.pings.isEmpty)
  }

  @Test func `answers count with what they carry`() {
    var bench = Bench(Self.settings(2_000))
    let group = bench.make("EntryGroupNew", [])
    // A program that only waits for its calls has nothing to read later.
    for _ in 0..<200 { bench.call("Reset", of: "EntryGroup", at: group) }
    #expect(bench.machine.clients.count == 1)
    for _ in 0..<200 where bench.machine.clients[":1.5"] != nil { bench.call("GetVersionString") }
    #expect(bench.machine.clients.isEmpty)
  }

  @Test func `only the client itself can say that it reads`() throws {
    var bench = Bench(Self.settings(200_000))
    let lookup = try #require(Self.browse(&bench, ":1.5").first)
    for _ in 0..<20 {
      Self.tell(&bench, lookup, 100)
      for ping in bench.messages where ping.member == "Ping" {
        for sender in ["org.freedesktop.DBus", ":1.9"] {
          var answer = BusMessage(.error)
          (answer.answers, answer.sender) = (ping.serial, sender)
          answer.errorName = "org.freedesktop.DBus.Error.LimitsExceeded"
          bench.send(.message(answer))
        }
      }
      bench.messages = []
    }
    #expect(bench.machine.clients.isEmpty && bench.effects.last == .endAsking(lookup))
  }

  @Test func `a client that may not be asked keeps no other from being noticed`() throws {
    var bench = Bench(Self.settings(200_000))
    let lookups = Self.browse(&bench, ":1.5", ":1.6")
    Self.tell(&bench, lookups[0], 400)
    let ping = try #require(bench.messages.first { $0.member == "Ping" && $0.destination == ":1.5" })
    var answer = BusMessage(.error)
    (answer.answers, answer.sender) = (ping.serial, "org.freedesktop.DBus")
    answer.errorName = "org.freedesktop.DBus.Error.AccessDenied"
    bench.send(.message(answer))
    #expect(bench.machine.unreadCount == bench.machine.clients[":1.6"]?.share.unread)
    for lookup in lookups { Self.tell(&bench, lookup, 2_000) }
    #expect(bench.machine.clients.keys.sorted() == [":1.5"])
    #expect(bench.machine.link.pings.isEmpty && bench.machine.unreadCount == 0)
    #expect(bench.effects.count { if case .log = $0 { true } else { false } } == 2)
  }

  @Test func `when all together have not read too much, the one with the most is cut off`() throws {
    var bench = Bench(Self.settings(.max, inAll: 200_000))
    let lookups = Self.browse(&bench, ":1.5", ":1.6")
    Self.tell(&bench, lookups[0], 500)
    #expect(bench.machine.clients.count == 2)
    // Neither has answered.
    for _ in 0..<20 where bench.machine.clients.count == 2 { Self.tell(&bench, lookups[1], 100) }
    #expect(bench.machine.clients.keys.sorted() == [":1.5"])
    #expect(bench.machine.unreadCount == bench.machine.clients[":1.5"]?.share.unread)
    bench.machine.end(client: ":1.5")
    #expect(bench.machine.unreadCount == 0)
  }
}
