import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// A network that wants the daemon to fail, as it made avahi-daemon fail. The engine's own tests have more of each kind.
@Suite struct HostileNetworkTests {
  private func alias(_ name: String, _ target: String, timeToLive: UInt32 = 120, isUnique: Bool = true) -> DNSRecord {
    DNSRecord(try! DNSName(name), .cname(try! DNSName(target)), timeToLive: timeToLive, cacheFlush: isUnique)
  }

  private func address(_ name: String, _ last: UInt32) -> DNSRecord {
    DNSRecord(try! DNSName(name), .address(.ipv4(0x0A4D_0000 + last)), timeToLive: 120, cacheFlush: true)
  }

  /// A daemon of which a program wants everything about a name that aliases may lead from.
  private func watching(_ daemon: inout DaemonOnLink) {
    for (member, values) in [
      ("HostNameResolverNew", [.text("a.local"), .int32(-1)]),
      ("RecordBrowserNew", [.text("a.local"), .uint16(1), .uint16(1)]),
      ("RecordBrowserNew", [.text("a.local"), .uint16(1), .uint16(5)]),
      ("ServiceResolverNew", [.text("A"), .text("_http._tcp"), .text(""), .int32(-1)]),
      ("ServiceTypeBrowserNew", [.text("")]), ("ServiceBrowserNew", [.text("_http._tcp"), .text("")]),
    ] as [(String, [BusValue])] {
      #expect(daemon.make(member, any + values + [noFlags]) != "", "\(member)")
    }
  }

  /// The addresses of hosts that were told since the last signals were taken.
  private func found(_ daemon: inout DaemonOnLink) -> [BusValue] {
    daemon.bench.takeSignals("Found").compactMap { $0.body?[4] }
  }

  /// It still finds, and has nothing left when the program is gone.
  private func expectSound(_ daemon: inout DaemonOnLink, sourceLocation: SourceLocation = #_sourceLocation) {
    daemon.run(for: .seconds(300))
    _ = daemon.bench.takeSignals()
    _ = daemon.make("HostNameResolverNew", any + [.text("sound.local"), .int32(0), noFlags])
    daemon.hear(address("sound.local", 9))
    #expect(found(&daemon) == [.text("10.77.0.9")], sourceLocation: sourceLocation)
    daemon.bench.machine.end(client: ":1.5")
    let machine = daemon.bench.machine
    #expect(machine.objectCount == 0 && machine.lookups.isEmpty && machine.state == .running, sourceLocation: sourceLocation)
  }

  @Test(arguments: [1, 2, 200]) func `CVE-2026-24401: aliases that lead to themselves end`(length: Int) {
    var daemon = DaemonOnLink()
    watching(&daemon)
    for number in 0..<length {
      let (name, next) = (number == 0 ? "a" : "n\(number)", number + 1 == length ? "a" : "n\(number + 1)")
      daemon.hear(alias(name + ".local", next + ".local"))
    }
    daemon.hear(alias("A._http._tcp.local", "A._http._tcp.local"))
    // An alias where types and services are listed ended avahi-browse (avahi/avahi#684).
    daemon.hear(alias("_services._dns-sd._udp.local", "_services._dns-sd._udp.local"))
    daemon.hear(alias("_http._tcp.local", "_http._tcp.local"), alias("local", "local"), alias("h1.local", "h1.local"))
    daemon.run(for: .seconds(10))
    let signals = daemon.bench.takeSignals()
    #expect(!signals.contains { $0.member == "Found" })
    #expect(signals.count { $0.member == "Failure" } == 2)
    expectSound(&daemon)
  }

  @Test(arguments: [0, 1] as [UInt32]) func `CVE-2025-68468: an alias that is gone at once harms nothing`(timeToLive: UInt32) {
    var daemon = DaemonOnLink()
    watching(&daemon)
    for _ in 0..<20 {
      daemon.hear(address("b.local", 8))
      daemon.hear(alias("a.local", "b.local", timeToLive: timeToLive))
      daemon.run(for: .milliseconds(1100))
    }
    _ = daemon.bench.takeSignals()
    daemon.hear(address("a.local", 7))
    #expect(found(&daemon) == [.text("10.77.0.7")])
    expectSound(&daemon)
  }

  @Test(arguments: [true, false]) func `CVE-2025-68471: two aliases that nobody asked for, two seconds apart`(isUnique: Bool) {
    var daemon = DaemonOnLink()
    watching(&daemon)
    daemon.run(for: .seconds(10))
    daemon.hear(alias("a.local", "b.local", isUnique: isUnique))
    daemon.run(for: .seconds(2))
    daemon.hear(alias("a.local", "c.local", isUnique: isUnique))
    daemon.run(for: .seconds(2))
    for name in ["b.local", "c.local"] { daemon.hear(address(name, 8)) }
    #expect(found(&daemon).contains(.text("10.77.0.8")))
    expectSound(&daemon)
  }

  /// Avahi asked the machine's name servers from one port, with numbers in a row, so that strangers could answer.
  @Test func `CVE-2024-52615 and CVE-2024-52616: nothing is asked that a stranger off the link could answer`() {
    var daemon = DaemonOnLink()
    for flags in [0, 2] as [UInt32] {
      for (member, values) in [
        ("HostNameResolverNew", [.text("www.example.com"), .int32(-1)]), ("AddressResolverNew", [.text("192.0.2.1")]),
        ("ServiceBrowserNew", [.text("_http._tcp"), .text("example.com")]),
        ("RecordBrowserNew", [.text("example.com"), .uint16(1), .uint16(1)]),
      ] as [(String, [BusValue])] {
        #expect(daemon.make(member, any + values + [.uint32(flags)]) != "")
      }
    }
    daemon.run(for: .seconds(100))
    #expect(!daemon.sent.isEmpty)
    for datagram in daemon.sent {
      // To the group of the link alone, without a number that somebody would have to guess.
      #expect(datagram.destination == .multicast && datagram.message.id == 0)
    }
  }
}
