extension Reach {
  /// Decides where an operation reaches the network.
  ///
  /// - Parameters:
  ///   - interfaces: The operation's interfaces.
  ///   - all: The interfaces of this machine.
  ///   - usesTunnels: Whether tunnels are used without being named.
  ///   - state: The state of a link that can be used.
  package init(
    of interfaces: InterfaceSelection, among all: [InterfaceState], usesTunnels: Bool = false, _ state: (Link) -> State
  ) {
    let choice = InterfaceChoice(interfaces, among: all, usesTunnels: usesTunnels)
    items = []
    for interface in all {
      for family in IPAddress.Family.allCases {
        let link = Link(interface.interface, family)
        if let omission = choice.omission(of: interface.interface.name, family) {
          items.append(Item(link, .unused(Cause(omission))))
        } else if let cause = interface.obstacle(to: family) {
          // Many networks have one family only.
          items.append(Item(link, interface.families.isEmpty ? .fails(cause) : .unused(cause)))
        } else {
          items.append(Item(link, state(link)))
        }
      }
    }
    items.sort { $0.link < $1.link }
    causes = []
    let used = interfaces.links(among: all)
    if used.isEmpty, !usesTunnels || !items.contains(where: { $0.state == .works || $0.state == .unproven }) {
      causes.append(Cause(.noInterface, NetworkOutage.nothingUsable(of: interfaces).explanation))
    } else if interfaces.included.isEmpty, InterfaceState.defaults(of: all) == [.loopback] {
      causes.append(
        Cause(
          .thisMachineOnly, "only services of this machine can be found: no other interface can be used",
          remedy: "connect this machine to a network"))
    }
  }
}

extension InterfaceState {
  /// The reason why a family cannot be used; nil if it can.
  fileprivate func obstacle(to family: IPAddress.Family) -> Reach.Cause? {
    guard !families.contains(family) else { return nil }
    switch readiness {
    case .down: return Reach.Cause(.notUp, "is not up", remedy: "set it up")
    case .noCarrier:
      return Reach.Cause(.noCarrier, "has no carrier", remedy: "plug in its cable, or join its wireless network")
    case .ready:
      let name = family == .ipv4 ? "IPv4" : "IPv6"
      return Reach.Cause(.noAddress, "has no \(name) address that can be used", remedy: "give it one, or wait for one")
    }
  }
}

extension Reach.Cause {
  fileprivate init(_ omission: InterfaceChoice.Omission) {
    let remedy = "name it to use it"
    switch omission {
    case .notSelected: self.init(.notSelected, "was not chosen")
    case .kind(.inside):
      self.init(.inside, "leads to containers or virtual machines of this machine only", remedy: remedy)
    case .kind(.port): self.init(.port, "is a port of a bridge or bond, which receives in its place")
    case .kind(.tunnel): self.init(.tunnel, "is point-to-point or not multicast-capable", remedy: remedy)
    case .kind(.loopback): self.init(.loopback, "reaches this machine only", remedy: remedy)
    case .kind(.network): self.init(.notSelected, "was not chosen")
    }
  }
}
