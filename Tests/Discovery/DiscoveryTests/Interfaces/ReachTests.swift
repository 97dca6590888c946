import Testing
import _BonjourishDiscovery

/// Where operations reach the network, by the state of the interfaces.
@Suite struct ReachTests {
  private let lo = InterfaceState(NetworkInterface(index: 1, name: "lo"), .loopback, [.ipv4, .ipv6])
  private let both = InterfaceState(eth0, .network, [.ipv4, .ipv6])
  private let docker = InterfaceState(NetworkInterface(index: 9, name: "docker0"), .inside, [.ipv4])

  private func code(_ state: Reach.State?) -> Reach.Cause.Code? {
    switch state {
    case .fails(let cause), .unused(let cause): cause.code
    case .works, .unproven, nil: nil
    }
  }

  private func state(_ reach: Reach, _ name: String, _ family: IPAddress.Family = .ipv4) -> Reach.State? {
    reach.items.first { $0.link.source.name == name && $0.link.family == family }?.state
  }

  @Test func `each link has a state or the reason why it is not used`() {
    let tunnel = InterfaceState(NetworkInterface(index: 5, name: "tun0"), .tunnel, [.ipv4])
    let port = InterfaceState(NetworkInterface(index: 6, name: "veth1"), .port, [.ipv6])
    let reach = Reach(of: .except("wlan0"), among: [tunnel, docker, port, lo, both, InterfaceState(wlan0, .network, [.ipv4])]) {
      $0.family == .ipv4 ? .works : .unproven
    }
    #expect(reach.working == [eth0v4])
    #expect(state(reach, "eth0", .ipv6) == .unproven)
    #expect(code(state(reach, "docker0")) == .inside)
    #expect(code(state(reach, "veth1", .ipv6)) == .port)
    #expect(code(state(reach, "tun0")) == .tunnel)
    #expect(code(state(reach, "lo")) == .loopback)
    #expect(code(state(reach, "wlan0")) == .notSelected)
    #expect(reach.failing.isEmpty && reach.causes.isEmpty)
    #expect(reach.items.map(\.link) == reach.items.map(\.link).sorted() && reach.items.count == 12)
  }

  @Test func `a tunnel is reached where tunnels are used without being named`() {
    let tunnel = InterfaceState(NetworkInterface(index: 5, name: "tun0"), .tunnel, [.ipv4])
    func states(of interfaces: InterfaceSelection, usesTunnels: Bool) -> [Reach.State?] {
      let reach = Reach(of: interfaces, among: [lo, both, tunnel], usesTunnels: usesTunnels) { _ in .works }
      return ["lo", "eth0", "tun0"].map { state(reach, $0) }
    }
    let used = states(of: .all, usesTunnels: true)
    #expect(used[2] == .works && used[1] == .works && code(used[0]) == .loopback)
    #expect(code(states(of: .except("tun0"), usesTunnels: true)[2]) == .notSelected)
    #expect(code(states(of: .all, usesTunnels: false)[2]) == .tunnel)
  }

  @Test func `an interface that is not ready fails and a missing family beside another is not used`() {
    let states = [
      InterfaceState(NetworkInterface(index: 4, name: "down"), .network, [], .down),
      InterfaceState(NetworkInterface(index: 5, name: "unplugged"), .network, [], .noCarrier),
      InterfaceState(NetworkInterface(index: 6, name: "bare"), .network, []), InterfaceState(eth0, .network, [.ipv4]),
    ]
    let reach = Reach(of: .all, among: states) { _ in .works }
    #expect(reach.failing.map(\.cause.code) == [.notUp, .notUp, .noCarrier, .noCarrier, .noAddress, .noAddress])
    guard case .unused(let cause) = state(reach, "eth0", .ipv6) else { Issue.record("\(reach)"); return }
    #expect(cause.code == .noAddress && cause.description.contains("IPv6"))
  }

  @Test func `what is wrong as a whole is told`() {
    #expect(Reach(of: .all, among: [lo]) { _ in .works }.causes.map(\.code) == [.thisMachineOnly])
    #expect(Reach(of: "lo", among: [lo]) { _ in .works }.causes == [])
    #expect(Reach(of: "eth1", among: [lo, both]) { _ in .works }.causes.map(\.code) == [.noInterface])
    #expect(Reach(of: .all, among: []) { _ in .works }.causes.map(\.code) == [.noInterface])
    #expect(Reach(of: .all, among: [both, docker]) { _ in .works }.causes == [])
    #expect(
      Reach(of: .all, among: [lo]) { _ in .works }.causes.map(\.description)
        == ["only services of this machine can be found: no other interface can be used; connect this machine to a network"])
    #expect(
      Reach(of: .all, among: []) { _ in .works }.causes.map(\.description) == [NetworkOutage.noInterface.explanation])
  }

  @Test func `states describe themselves`() {
    #expect(Reach.Item(eth0v4, .works).description == "eth0 over IPv4: works")
    #expect(Reach.Item(eth0v6, .unproven).description == "eth0 over IPv6: not proven yet")
    let cause = Reach.Cause(.notUp, "is not up", remedy: "set it up")
    #expect(Reach.Item(eth0v4, .fails(cause)).description == "eth0 over IPv4: is not up; set it up")
    #expect(Reach.Item(eth0v4, .unused(cause)).description == "eth0 over IPv4: not used, because it is not up; set it up")
  }

  @Test func `of tunnels that are used without being named, one that may work is enough`() {
    let tunnel = InterfaceState(NetworkInterface(index: 5, name: "tun0"), .tunnel, [.ipv4])
    let cause = Reach.Cause(.notHeard, "is silent")
    for (state, codes) in [
      (Reach.State.works, []), (.unproven, []), (.fails(cause), [.noInterface]),
    ] as [(Reach.State, [Reach.Cause.Code])] {
      let reach = Reach(of: .all, among: [tunnel], usesTunnels: true) { _ in state }
      #expect(reach.causes.map(\.code) == codes)
    }
    #expect(Reach(of: .all, among: [tunnel]) { _ in .works }.causes.map(\.code) == [.noInterface])
  }

  @Test func `each reason is told with what to do about it`() {
    func cause(_ kind: InterfaceState.Kind, _ readiness: InterfaceState.Readiness = .ready, isUsable: Bool = true) -> String {
      let state = InterfaceState(wlan0, kind, isUsable ? [.ipv4] : [], readiness)
      switch Reach(of: .all, among: [both, state], { _ in .works }).items.last(where: { $0.link == wlan0v4 })?.state {
      case .fails(let cause), .unused(let cause): return "\(cause)"
      case .works, .unproven, nil: return ""
      }
    }
    #expect(cause(.network) == "")
    #expect(cause(.network, .down, isUsable: false) == "is not up; set it up")
    #expect(
      cause(.network, .noCarrier, isUsable: false) == "has no carrier; plug in its cable, or join its wireless network")
    #expect(
      cause(.network, isUsable: false) == "has no IPv4 address that can be used; give it one, or wait for one")
    #expect(cause(.inside) == "leads to containers or virtual machines of this machine only; name it to use it")
    #expect(cause(.port) == "is a port of a bridge or bond, which receives in its place")
    #expect(cause(.tunnel) == "is point-to-point or not multicast-capable; name it to use it")
    #expect(cause(.loopback) == "reaches this machine only; name it to use it")
  }
}
