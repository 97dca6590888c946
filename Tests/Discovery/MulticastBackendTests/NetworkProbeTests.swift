import Bonjourish
import CBonjourishLinux
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishInterfaces
@testable import _BonjourishMulticastBackend

/// When the daemon is asked for what it does not announce again.
struct NetworkProbeTests {
  private func interface(_ name: String, _ kind: InterfaceState.Kind = .network, hasAddress: Bool = true) -> LocalInterface {
    let address = InterfaceAddress(.ipv4(0x0A4D_0001), prefixLength: 24)
    return LocalInterface(index: 2, name: name, kind: kind, mtu: 1500, addresses: hasAddress ? [address] : [])
  }

  @Test func `only a machine with several interfaces can have two in one network`() {
    #expect(!NetworkProbe.areSeveral([interface("eth0"), interface("lo", .loopback)]))
    // Before a change and after it.
    #expect(!NetworkProbe.areSeveral([interface("eth0"), interface("eth0"), interface("eth1", hasAddress: false)]))
    #expect(NetworkProbe.areSeveral([interface("eth0"), interface("eth1"), interface("eth0")]))
  }

  @Test func `the question is one about a service of this host`() throws {
    let registration = Registration("Ada's.pages", type: "_http._tcp", domain: .local, port: 80, txt: [:])
    let question = try DNSMessage(parsing: try #require(NetworkProbe.reminder(of: registration)))
    #expect(!question.isResponse && question.authorities.isEmpty)
    #expect(
      question.questions == [
        DNSQuestion(try DNSName(labels: ["Ada's.pages", "_http", "_tcp", "local"].map { Array($0.utf8) }), .srv)
      ])
    let elsewhere = Registration("Ada", type: "_http._tcp", domain: .local, port: 80, txt: [:], host: "other.local")
    #expect(NetworkProbe.reminder(of: elsewhere) == nil)
    let host = Registration(host: "x.local", addresses: [.ipv4(0x0A4D_0001)], onConflict: .fail)
    #expect(NetworkProbe.reminder(of: try #require(host)) == nil)
  }

  @Test func `an interface on which the echo comes back works, and one that cannot be joined is not known`() async throws {
    let loop = try EventLoop(name: "probe")
    let index = try NetworkInterface(named: "lo").index
    // As a network: only what leads to one is tested.
    let addresses = [InterfaceAddress(.ipv4(0x7F00_0001), prefixLength: 8)]
    let all = [
      LocalInterface(index: index, name: "lo", kind: .network, mtu: 1500, addresses: addresses),
      LocalInterface(index: 0x7FFF_FFFF, name: "gone0", kind: .network, mtu: 1500, addresses: addresses),
    ]
    nonisolated(unsafe) var probe: NetworkProbe?
    let before: [Reach] = await withCheckedContinuation { continuation in
      loop.execute {
        nonisolated(unsafe) var before: [Reach]? = []
        probe = try! NetworkProbe(on: loop, allInterfaces: { all }) {
          if let known = before { continuation.resume(returning: known) }
          before = nil
        }
        before = [probe!.reach(of: "lo"), probe!.reach(of: "gone0")]
      }
    }
    let (after, outages): ([Reach], [NetworkOutage?]) = await withCheckedContinuation { continuation in
      loop.execute {
        let after = [probe!.reach(of: "lo"), probe!.reach(of: "gone0")]
        let outages = [probe!.outage(on: .all), probe!.outage(on: "gone0"), probe!.outage(on: "nonexistent0")]
        probe!.stop()
        probe = nil
        continuation.resume(returning: (after, outages))
      }
    }
    await loop.shutdown()
    #expect((before + after).allSatisfy { $0.failing.isEmpty && $0.causes.isEmpty })
    #expect((before + after).map { $0.working.map(\.source.name) } == [[], [], ["lo"], []])
    #expect(outages == [nil, nil, .unusableInterface("nonexistent0")])
  }

  /// The loopback interface as a network: only what leads to one is tested.
  private func loopback() throws -> LocalInterface {
    let addresses = [InterfaceAddress(.ipv4(0x7F00_0001), prefixLength: 8)]
    return LocalInterface(
      index: try NetworkInterface(named: "lo").index, name: "lo", kind: .network, mtu: 1500, addresses: addresses)
  }

  @Test(.timeLimit(.minutes(1))) func `an interface on which nothing comes back is at fault`() async throws {
    let loop = try EventLoop(name: "probe")
    let lo = try loopback()
    nonisolated(unsafe) var probe: NetworkProbe?
    let (outage, reach): (NetworkOutage?, Reach) = await withCheckedContinuation { continuation in
      loop.execute {
        probe = try! NetworkProbe(on: loop, allInterfaces: { [lo] }) {
          continuation.resume(returning: (probe!.outage(on: "lo"), probe!.reach(of: "lo")))
          probe!.stop()
        }
        // It goes on sending, and hears no more.
        for socket in probe!.sockets.values { socket.stop() }
      }
    }
    #expect(outage == .notHeard(interface: "lo"))
    #expect(reach.working == [] && reach.failing.map(\.cause.code) == [.notHeard])
    let isClosed = await withCheckedContinuation { continuation in
      loop.execute {
        continuation.resume(returning: probe!.sockets.isEmpty)
        probe = nil
      }
    }
    #expect(isClosed)
    await loop.shutdown()
  }

  @Test(.timeLimit(.minutes(1))) func `after a change of several interfaces the daemon is asked about a service of this host`()
    async throws
  {
    let loop = try EventLoop(name: "probe")
    let lo = try loopback()
    let eth1 = LocalInterface(index: 0x7FFF_FFFF, name: "eth1", kind: .network, mtu: 1500, addresses: lo.addresses)
    let registration = Registration(try InstanceName("Ada \(getpid())"), type: "_x._tcp", domain: .local, port: 80, txt: [:])
    let question = try #require(NetworkProbe.reminder(of: registration))
    nonisolated(unsafe) let listener = try MulticastSocket(.ipv4)
    nonisolated(unsafe) var (probe, changes, reminders) = (Optional<NetworkProbe>.none, 0, 0)
    nonisolated(unsafe) var all = [lo]
    let (changed, asked, reach): (Int, Int, Reach) = await withCheckedContinuation { continuation in
      loop.execute {
        try! listener.join(lo.index)
        var isHeard = false
        try! listener.start(
          on: loop,
          received: { arrival in
            guard arrival.bytes == question, !isHeard else { return }
            isHeard = true
            continuation.resume(returning: (changes, reminders, probe!.reach(of: .all)))
          }, failed: { Issue.record("\($0)") })
        probe = try! NetworkProbe(on: loop, allInterfaces: { all }) { changes += 1 }
        probe!.reminder = {
          reminders += 1
          return question
        }
        // The same interfaces are no change.
        probe!.interfacesChanged()
        loop.atEndOfTick {
          loop.atEndOfTick {
            all = [lo, eth1]
            probe!.interfacesChanged()
            probe!.interfacesChanged()
          }
        }
      }
    }
    #expect(asked >= 1 && changed >= 1)
    #expect(Set(reach.items.map(\.link.source.name)) == ["lo", "eth1"])
    await withCheckedContinuation { continuation in
      loop.execute {
        probe!.stop()
        listener.stop()
        probe = nil
        continuation.resume()
      }
    }
    await loop.shutdown()
  }
}
