import CBonjourishLinux
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

@testable import _BonjourishDoctor

/// What is gathered on this machine. Only the loopback interface is examined.
@Suite(.timeLimit(.minutes(1))) struct GatheringTests {
  private let request = DoctorRequest(backend: .builtin, interface: "lo")

  private func gather(
    _ body: @escaping @Sendable (EventLoop, @escaping (DoctorFacts) -> Void) -> Void
  ) async throws -> DoctorFacts {
    let loop = try EventLoop(name: "gathering")
    let facts = await withCheckedContinuation { continuation in
      loop.execute { body(loop) { continuation.resume(returning: $0) } }
    }
    await loop.shutdown()
    return facts
  }

  @Test func `the facts of a machine are what the system says`() async throws {
    let facts = try await gather { [request] in DoctorFacts.gather(for: request, on: $0, finished: $1) }
    #expect(facts.request == request && facts.trial == nil)
    let lo = try #require(facts.interfaces.first { $0.name == "lo" })
    #expect(lo.flags.contains([.up, .loopback]) && lo.addresses.contains { $0.address == .ipv4(0x7F00_0001) })
    #expect(Set(facts.links.map(\.interface)) == ["lo"])
    #expect(facts.links.contains { $0.link.family == .ipv4 && $0.isHeard && $0.outage == nil && $0.refusal == nil })
    // Nobody else can have an address of the loopback interface.
    #expect(facts.duplicates == [] && facts.groupRefusal?.errno != EBADF)

    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let hostName = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #expect(facts.machine.hostName == String(hostName.prefix { $0 != "." }))
    #expect(facts.machine.isRoot == (geteuid() == 0))
    #expect(facts.machine.missingTools.isSubset(of: Machine.usedTools))

    #expect(abs(facts.clock.now - time(nil)) < 60)
    var files = rlimit()
    getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &files)
    #expect(facts.limits.files == (files.rlim_cur < 1 << 30 ? Int(files.rlim_cur) : nil))
    for (path, number) in [
      ("/proc/sys/net/ipv4/igmp_max_memberships", facts.limits.memberships),
      ("/proc/sys/net/core/rmem_max", facts.limits.receiveBuffer),
    ] { #expect(SystemFiles.number(path) == number) }
    // Its own sockets are not in its way.
    let own = Int(getpid())
    #expect(!(facts.sockets + facts.socketsLater).contains { $0.owner?.process == own })
  }

  @Test func `a machine that is in no container's network is not examined any further`() async throws {
    let facts = try await gather { [request] in DoctorFacts.gatherContainer(for: request, on: $0, finished: $1) }
    #expect(facts.interfaces.contains { $0.name == "lo" } && facts.request == request)
    #expect(facts.links.isEmpty && facts.sockets.isEmpty && facts.limits == Limits() && facts.bus == BusFacts())
    #expect(try await Doctor.containerNetwork(request) == nil)
  }

  @Test func `who cancels an examination does not wait for it`() async throws {
    let examination = Task { [request] in
      while !Task.isCancelled { await Task.yield() }
      return try await Doctor.examine(request)
    }
    examination.cancel()
    #expect(try await examination.value == nil)
  }

  @Test func `the flags of interfaces are those of the kernel`() {
    let flags: [(InterfaceFacts.Flags, Int)] = [
      (.up, Int(IFF_UP)), (.broadcast, Int(IFF_BROADCAST)), (.loopback, Int(IFF_LOOPBACK)),
      (.pointToPoint, Int(IFF_POINTOPOINT)),
      (.running, Int(IFF_RUNNING)), (.noARP, Int(IFF_NOARP)), (.allMulticast, Int(IFF_ALLMULTI)),
      (.multicast, Int(IFF_MULTICAST)), (.carrier, 0x10000),
    ]
    #expect(flags.map { Int($0.0.rawValue) } == flags.map(\.1))
  }
}
