import CBonjourishLinux
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishInterfaces
@testable import _BonjourishMulticastBackend

extension MulticastBackend {
  /// The numbers of open sockets, links and memberships over IPv4, and of failed families that are tried again.
  fileprivate var linkCounts: [Int] {
    [sockets[.ipv4]?.count ?? 0, links.count, memberships.count, reopenTimers.count]
  }
}

/// What becomes of sockets and links when something changes or fails.
@Suite(.timeLimit(.minutes(1))) struct BackendLinksTests {
  private let question = RecordQuestion(.domain("nobody.local"), .a, interfaces: .only("lo").over(.ipv4))

  /// Runs a test with a backend that has one link.
  private func run(_ body: (ResidentBackend) async throws -> Void) async throws {
    try await ResidentBackend.run { resident in
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      await resident.on { backend in
        // Another family that cannot be opened here is not looked at.
        for timer in backend.reopenTimers.values { timer.cancel() }
        (backend.reopenTimers, backend.socketFailures) = ([:], [:])
        _ = resident.log.take()
      }
      try await body(resident)
    }
  }

  @Test func `a family whose socket fails has no links until it can be opened again`() async throws {
    try await run { resident in
      let (error, other) = (SystemError("recvmsg", errno: EIO), SystemError("bind", errno: EADDRINUSE))
      let counts = await resident.on { backend in
        var counts = [backend.linkCounts]
        // However often it failed, it is tried once a second later.
        weak var former: LoopTimer?
        for failure in [error, error, other] {
          backend.socketFailed(.ipv4, failure)
          counts.append(backend.linkCounts + (former == nil ? [] : [1]))
          former = backend.reopenTimers[.ipv4]
        }
        let known = backend.socketFailures
        backend.reopen(.ipv4)
        counts.append(backend.linkCounts + (former == nil ? [] : [1]))
        return counts + [[known[.ipv4] == other ? 1 : 0, backend.socketFailures.count]]
      }
      #expect(counts == [[1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [1, 1, 1, 0], [1, 0]])
      let log = resident.log.take().filter { $0.level == .warning }
      #expect(log.map(\.text) == [error, other].map { "no mDNS over ipv4; trying again every second: \($0)" })
      #expect(log.first?.metadata == ["family": "ipv4", "error": "\(error)"])
    }
  }

  @Test func `an interface that was made again is another link, and one whose addresses change is the same`() async throws {
    try await run { resident in
      let (isKept, texts) = await resident.on { backend in
        let (link, lo) = (backend.onlyLink, backend.links[backend.onlyLink]!)
        func changed(_ index: UInt32, _ mtu: Int) -> LocalInterface {
          LocalInterface(index: index, name: lo.name, kind: lo.kind, mtu: mtu, addresses: [])
        }
        var (isKept, texts) = ([Bool](), [[String]]())
        for former in [changed(lo.index, 576), changed(0x7FFF_FFFF, lo.mtu), lo] {
          backend.links[link] = former
          backend.refreshLinks()
          isKept.append(backend.links == [link: lo])
          texts.append(resident.log.take().map(\.text))
        }
        return (isKept, texts)
      }
      #expect(isKept == [true, true, true])
      #expect(texts == [[], ["mDNS has ended on lo over ipv4", "mDNS on lo over ipv4"], []])
    }
  }

  @Test func `a machine whose changes cannot be noticed is told so`() async throws {
    try await run { resident in
      let error = SystemError("recv", errno: EIO)
      await resident.on { $0.monitorFailed(error) }
      let last = resident.log.take().last
      #expect(last?.level == .warning && last?.metadata == ["error": "\(error)"])
      #expect(last?.text == "changes of network interfaces can no longer be noticed: \(error)")
    }
  }
}
