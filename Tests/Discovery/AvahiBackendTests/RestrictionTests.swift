#if Avahi
import CBonjourishAvahi.Common
import _BonjourishDiscovery
import Testing

@testable import _BonjourishAvahiBackend

/// Where Avahi is asked to publish.
@Suite struct RestrictionTests {
  private let any = AvahiIfIndex(AVAHI_IF_UNSPEC)
  private let bothFamilies = AvahiProtocol(AVAHI_PROTO_UNSPEC)

  private func state(_ index: UInt32, _ name: String, _ kind: InterfaceState.Kind, isUp: Bool = true) -> InterfaceState {
    InterfaceState(NetworkInterface(index: index, name: name), kind, isUp ? [.ipv4] : [], isUp ? .ready : .down)
  }

  private var plain: [InterfaceState] {
    [state(1, "lo", .loopback), state(2, "eth0", .network), state(3, "tun0", .tunnel), state(4, "eth1", .network, isUp: false)]
  }

  private func indices(_ interfaces: InterfaceSelection, among all: [InterfaceState]) -> Set<AvahiIfIndex> {
    Set(Restriction(to: interfaces, among: all).places.map(\.interface))
  }

  @Test func `all interfaces are one place when none is left out`() {
    #expect(indices(.all, among: plain) == [any])
    #expect(indices(.all, among: [state(1, "lo", .loopback), state(2, "eth0", .inside)]) == [any])
  }

  @Test func `beside containers each network is a place, also one that is down`() {
    #expect(indices(.all, among: plain + [state(9, "docker0", .inside)]) == [2, 3, 4])
    #expect(indices(.all, among: plain + [state(9, "docker0", .inside, isUp: false)]) == [2, 3, 4])
  }

  @Test func `chosen interfaces are places`() {
    #expect(indices(.except("eth1"), among: plain) == [2, 3])
    #expect(indices(["eth*", "lo"], among: plain) == [1, 2, 4])
    #expect(indices("wlan*", among: plain) == [])
    // Its name is looked up in the kernel.
    #expect(indices("lo", among: plain) == [1])
    #expect(indices("nowhere0", among: plain) == [])
  }

  @Test func `whoever has lost the last interface starts again, and whoever has lost one of several does not`() {
    var restriction = Restriction(to: ["eth*"], among: plain)
    func starts(_ restriction: inout Restriction, among all: [InterfaceState]) -> Bool {
      let former = restriction.places
      restriction.refresh(all)
      return restriction.mustStartAgain(after: former)
    }
    #expect(!starts(&restriction, among: Array(plain.prefix(3))))
    #expect(starts(&restriction, among: [plain[0]]))
    #expect(restriction.places.isEmpty)
    #expect(starts(&restriction, among: plain))
    // From some interfaces to all at once, and back.
    restriction = Restriction(to: .all, among: plain)
    #expect(starts(&restriction, among: plain + [state(9, "docker0", .inside)]))
    #expect(starts(&restriction, among: plain))
  }

  @Test func `an interruption says what has become of the interfaces`() {
    func reason(_ interfaces: InterfaceSelection, among all: [InterfaceState]) -> String {
      Restriction(to: interfaces, among: all).interruption(of: "asking").message
    }
    #expect(
      reason("nowhere0", among: plain)
        == #"asking: the network interface "nowhere0" is gone; it is used again when it is back"#)
    #expect(reason("lo", among: plain) == #"asking: the network interface "lo" was made again"#)
    #expect(reason(.all, among: plain) == "asking: other network interfaces can be used now")
    #expect(reason("wlan*", among: plain) == "asking: \(NetworkOutage.nothingUsable(of: "wlan*").explanation)")
  }

  @Test func `the daemon is asked again only if the interface has another index`() {
    var one = Restriction(to: "lo", among: plain)
    var several = Restriction(to: .all, among: plain)
    let isAskedAgain = [one.refresh([]), several.refresh([])]
    #expect(one.index == 1 && several.index == self.any && isAskedAgain == [false, false])
  }

  @Test func `one family is asked for by itself`() {
    let restriction = Restriction(to: .all.over(.ipv6), among: plain)
    #expect(restriction.places == [.init(interface: any, family: AvahiProtocol(AVAHI_PROTO_INET6))])
    #expect(Restriction(to: .all.over(.ipv4, .ipv6), among: plain).family == bothFamilies)
  }
}
#endif
