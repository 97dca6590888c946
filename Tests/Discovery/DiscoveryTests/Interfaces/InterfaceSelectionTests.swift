import Testing
import _BonjourishDiscovery

/// Which interfaces a selection contains.
@Suite struct InterfaceSelectionTests {
  private func state(
    _ name: String, _ kind: InterfaceState.Kind = .network, _ families: Set<IPAddress.Family> = [.ipv4, .ipv6]
  ) -> InterfaceState {
    InterfaceState(
      NetworkInterface(index: UInt32(name.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF), name: name), kind, families)
  }

  private func names(_ selection: InterfaceSelection, among all: [InterfaceState]) -> Set<String> {
    Set(selection.links(among: all).map(\.source.name))
  }

  /// A machine with two networks, containers, a tunnel and a virtual machine.
  private var machine: [InterfaceState] {
    [
      state("lo", .loopback), state("eth0"), state("wlan0", .network, [.ipv4]), state("docker0", .inside),
      state("veth1", .port),
      state("tun0", .tunnel), state("eth1", .network, []),
    ]
  }

  @Test(arguments: [
    ("eth0", "eth0", true), ("eth0", "eth1", false), ("eth*", "eth0", true), ("eth*", "eth", true), ("eth*", "weth0", false),
    ("*", "", true), ("*", "eth0", true), ("?", "", false), ("eth?", "eth0", true), ("eth?", "eth10", false),
    ("*0", "eth0", true),
    ("*0", "eth01", false), ("*th*1*", "eth0.1.2", true), ("e*h?.?", "eth0.2", true), ("**", "x", true), ("a*a", "a", false),
    ("", "", true), ("", "a", false), ("br-*", "br-0a1b", true), ("a*b*c", "abbc", true), ("a*b*c", "abbd", false),
  ])
  func `a pattern matches names`(_ pattern: String, _ name: String, _ matches: Bool) {
    #expect(names([pattern], among: [state(name)]).isEmpty == !matches)
  }

  @Test func `all interfaces are those that lead to other machines`() {
    #expect(names(.all, among: machine) == ["eth0", "wlan0"])
    #expect(InterfaceSelection.all.links(among: machine).count == 3)
  }

  @Test func `what leads into containers is used when nothing else can be`() {
    let container = [state("lo", .loopback), state("eth0", .inside), state("tun0", .tunnel), state("eth1", .network, [])]
    #expect(names(.all, among: container) == ["eth0"])
  }

  @Test func `the loopback interface is used when nothing else can be`() {
    let alone = [state("lo", .loopback), state("eth0", .network, []), state("veth0", .port), state("tun0", .tunnel)]
    #expect(names(.all, among: alone) == ["lo"])
    #expect(names(.all, among: [state("eth0", .network, [])]) == [])
  }

  @Test func `a name includes what is left out otherwise`() {
    #expect(names("docker0", among: machine) == ["docker0"])
    #expect(names(["tun*", "lo", "veth1"], among: machine) == ["tun0", "lo", "veth1"])
    #expect(names("eth1", among: machine) == [])
    #expect(names(.only(NetworkInterface(index: 99, name: "eth0")), among: machine) == ["eth0"])
  }

  @Test func `an exclusion takes interfaces away from all and from those that are named`() {
    #expect(names(.except("wlan0"), among: machine) == ["eth0"])
    // The containers' bridge is not used instead.
    #expect(names(.except("wlan*", "eth?"), among: machine) == [])
    #expect(names(.only("*").except("lo", "tun*"), among: machine) == ["eth0", "wlan0", "docker0", "veth1"])
    #expect(names(["!eth0"], among: machine) == ["wlan0"])
    #expect(names("!eth0", among: machine) == ["wlan0"])
    #expect(InterfaceSelection(["eth*", "!eth7"]) == .only("eth*").except("eth7"))
  }

  @Test func `a family is left out`() {
    let links = InterfaceSelection.all.over(.ipv6).links(among: machine)
    #expect(links.map(\.source.name) == ["eth0"] && links.allSatisfy { $0.family == .ipv6 })
    #expect(InterfaceSelection.only("wlan0").over(.ipv6).links(among: machine).isEmpty)
    #expect(InterfaceSelection.all.over(.ipv4, .ipv6).links(among: machine) == InterfaceSelection.all.links(among: machine))
  }

  @Test func `a selection of one name tells it`() {
    #expect(InterfaceSelection.only("eth0").onlyName == "eth0")
    #expect(InterfaceSelection.only("eth0").over(.ipv4).onlyName == "eth0")
    for several in [.all, .only("eth*"), .only("eth?"), ["eth0", "wlan0"], .only("eth0").except("e*")] as [InterfaceSelection] {
      #expect(several.onlyName == nil)
    }
  }

  @Test func `a directory is used whatever interfaces are named, unless it is left out`() {
    for selection in [.all, .only("eth0"), .except("directory:*"), .directoryOnly] as [InterfaceSelection] {
      #expect(selection.usesDirectory && !selection.withoutDirectory.usesDirectory)
      #expect(selection.usesLocalNetwork == (selection != .directoryOnly))
    }
    #expect(InterfaceSelection.directoryOnly.links(among: machine) == [])
    #expect(InterfaceSelection.only("eth0").withoutDirectory.description == "eth0, no directory")
  }

  @Test func `the source of what was found is an interface or a directory, interfaces first`() {
    let directory = DiscoverySource.directory("eu")
    #expect(directory.region == "eu" && directory.interface == nil && directory.name == "directory:eu")
    let interface = NetworkInterface(index: .max, name: "directory:eu")
    let source = DiscoverySource(interface)
    #expect(source.region == nil && source.interface == interface && source != directory)
    #expect(source < directory && !(directory < source) && Link(directory, .ipv4) > Link(source, .ipv6))
  }

  @Test func `a selection describes itself`() {
    #expect(InterfaceSelection.all.description == "all")
    #expect(InterfaceSelection(["wlan0", "eth*", "!eth7"]).over(.ipv4).description == "eth*, wlan0, not eth7, only IPv4")
    #expect(InterfaceSelection(["\u{1B}"]).description == "\\u{1B}")
  }

  @Test func `an interface that is not used has a reason`() {
    let choice = InterfaceChoice(.all, among: machine)
    #expect(choice.omission(of: "docker0", .ipv4) == .kind(.inside))
    #expect(choice.omission(of: "tun0", .ipv4) == .kind(.tunnel))
    #expect(choice.omission(of: "eth1", .ipv4) == nil)
    // One that has just come counts until more is known.
    #expect(choice.omission(of: "eth9", .ipv4) == nil)
    #expect(InterfaceChoice(.all, among: machine, usesTunnels: true).omission(of: "tun0", .ipv4) == nil)
    #expect(InterfaceChoice(.except("eth0"), among: machine).omission(of: "eth0", .ipv4) == .notSelected)
    #expect(InterfaceChoice("eth0", among: machine).omission(of: "wlan0", .ipv4) == .notSelected)
    #expect(InterfaceChoice(.all.over(.ipv4), among: machine).omission(of: "eth0", .ipv6) == .notSelected)
  }

  @Test func `an outage names what was chosen`() {
    #expect(NetworkOutage.nothingUsable(of: .all) == .noInterface)
    #expect(NetworkOutage.nothingUsable(of: "eth0") == .unusableInterface("eth0"))
    #expect(NetworkOutage.nothingUsable(of: .except("eth0")).explanation.contains("(all, not eth0)"))
  }

  @Test func `a daemon's clients may use every kind, or one interface alone, whatever its name`() {
    var selection = InterfaceSelection.except("wlan0")
    selection.usesEveryKind = true
    #expect(names(selection, among: machine) == ["lo", "eth0", "docker0"])
    selection.index = machine[3].interface.index
    #expect(names(selection, among: machine) == ["docker0"])
    selection.index = machine[2].interface.index
    #expect(names(selection, among: machine) == [], "it stays left out")
    #expect(
      Link(DiscoverySource.directory("eu"), .ipv4).index == 0
        && Link(machine[3].interface, .ipv4).index == machine[3].interface.index)
  }

  @Test func `interfaces are in the order of their indices, links in that of their sources`() {
    let (one, other) = (NetworkInterface(index: 2, name: "b"), NetworkInterface(index: 2, name: "c"))
    let sorted = [NetworkInterface(index: 1, name: "z"), one, other, NetworkInterface(index: 3, name: "a")]
    for (place, interface) in sorted.enumerated() {
      for (otherPlace, other) in sorted.enumerated() {
        #expect((interface < other) == (place < otherPlace))
        #expect((Link(interface, .ipv4) < Link(other, .ipv6)) == (place <= otherPlace))
        #expect((Link(interface, .ipv6) < Link(other, .ipv4)) == (place < otherPlace))
      }
    }
  }
}
