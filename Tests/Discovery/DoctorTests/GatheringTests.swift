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

  @Test func `who is asked on the network follows from the interfaces and the routes`() throws {
    var facts = DoctorFacts.healthy()
    facts.interfaces.append(
      InterfaceFacts(index: 9, name: "docker0", flags: [.up, .running, .broadcast, .multicast], addresses: []))
    let routers = (1...17 as ClosedRange<UInt32>).map { IPAddress.ipv4(0xC633_6400 + $0) }
    // No interface of that name has neighbours that the kernel knows.
    let others: [IPAddress] = [.ipv6(high: 0xFE80 << 48, low: 1)] + routers.prefix(2)
    facts.routes = (others + routers).map { Route(to: .ipv4(0), prefixLength: 0, via: $0, on: "nowhere0") }
    facts.routes.append(Route(to: .ipv4(0), prefixLength: 0, on: "nowhere1"))
    let questions = facts.questions
    #expect(questions.interface == nil && questions.leftOut == ["docker0"])
    #expect(questions.ownAddresses == ["lo": [.ipv4(0x7F00_0001)], "eth0": [.ipv4(0x0A00_0005)], "docker0": []])
    #expect(questions.neighbours["nowhere0"] == Array(routers.prefix(16)) && questions.neighbours["nowhere1"] == nil)
    #expect(questions.hostNames == [try DNSName("ada.local")])
    // Where nothing else can be used, containers are asked too.
    facts.request.interface = "docker0"
    facts.interfaces.remove(at: 1)
    #expect(facts.questions.interface == "docker0" && facts.questions.leftOut == [])
  }

  /// It needs privileges, which a machine may not give to tests.
  @Test func `another host that answers for an address of this machine is found`() throws {
    let lo = InterfaceFacts(
      index: UInt32(if_nametoindex("lo")), name: "lo", flags: [.up, .loopback], addresses: [.init(.ipv4(0x7F00_0001))])
    guard let probe = try? AddressProbe(of: lo) else { return }
    let other: [UInt8] = [2, 0, 0, 0, 0, 9]
    var answer = AddressProbe.question(for: .ipv4(0xC633_6401), from: other)
    // An answer from an address of this machine, and one from another address.
    answer[7] = 2
    let sender = OwnedDescriptor(socket(AF_PACKET, CInt(SOCK_DGRAM.rawValue), CInt((0x0806 as UInt16).bigEndian)))
    let all = AddressProbe.link(on: lo.index, to: [UInt8](repeating: 0xFF, count: 6))
    func send(from address: [UInt8]) {
      answer.replaceSubrange(14..<18, with: address)
      let count = all.withUnsafeBytes {
        sendto(
          sender.number, answer, answer.count, 0, $0.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t($0.count))
      }
      #expect(count == 28)
    }
    send(from: [127, 0, 0, 2])
    var found: [AddressConflict] = []
    // A busy machine may be late.
    for _ in 0..<100 where found.isEmpty {
      send(from: [127, 0, 0, 1])
      found = probe.conflicts(besides: [probe.hardware])
    }
    #expect(found == [AddressConflict(interface: "lo", address: .ipv4(0x7F00_0001), hardware: "02:00:00:00:00:09")])
    // The same machine may answer by way of another interface.
    send(from: [127, 0, 0, 1])
    #expect(probe.conflicts(besides: [other]) == [])
  }

  @Test func `an interface without an IPv4 address is not probed`() throws {
    let none = InterfaceFacts(index: 1, name: "lo", flags: [.up], addresses: [.init(.ipv6(high: 0, low: 1))])
    #expect(try AddressProbe(of: none) == nil)
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
