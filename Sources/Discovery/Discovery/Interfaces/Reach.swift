import _BonjourishBase

/// Where an operation reaches the network, and why not elsewhere.
///
/// It tells about the machine's own part: what is sent must leave it, and what arrives must be heard. Whether the network carries
/// multicast to other machines, nobody can tell before one answers.
public struct Reach: Hashable, Sendable {
  /// Whether multicast passes on a link. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum State: Hashable, Sendable {
    /// Something was sent, and this machine has heard it come back, as multicast does.
    case works
    /// Nothing has come back yet.
    case unproven
    /// Nothing can be sent or heard.
    case fails(Cause)
    /// The operation does not use the link.
    case unused(Cause)
  }

  /// The state of one link.
  public struct Item: Hashable, Sendable, CustomStringConvertible {
    /// The interface and the address family.
    public let link: Link
    /// Whether multicast passes there.
    public let state: State

    /// Makes the state of a link, for previews and tests.
    public init(_ link: Link, _ state: State) {
      self.link = link
      self.state = state
    }

    /// The link and its state for display, such as `eth0 over IPv4: works`.
    public var description: String {
      switch state {
      case .works: "\(link): works"
      case .unproven: "\(link): not proven yet"
      case .fails(let cause): "\(link): \(cause)"
      case .unused(let cause): "\(link): not used, because it \(cause)"
      }
    }
  }

  /// All links of this machine, sorted by the index of the interface.
  public var items: [Item]
  /// What is wrong as a whole: that no chosen interface exists or can be used, that only this machine is reached, or that
  /// avahi-daemon cannot receive on all interfaces.
  public var causes: [Cause]

  /// Makes a reach, for previews and tests.
  public init(_ items: [Item] = [], causes: [Cause] = []) {
    self.items = items
    self.causes = causes
  }

  /// The links on which multicast passes.
  public var working: [Link] { items.filter { $0.state == .works }.map(\.link) }

  /// The links that are used, and on which multicast does not pass, with the causes.
  public var failing: [(link: Link, cause: Cause)] {
    items.compactMap { item in
      if case .fails(let cause) = item.state { (item.link, cause) } else { nil }
    }
  }
}

extension Reach {
  /// A reason why multicast does not pass, and a remedy.
  public struct Cause: Hashable, Sendable, CustomStringConvertible {
    /// The kind of reason. Later versions may add kinds, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
      /// The name of the kind, such as `noCarrier`.
      public let description: String

      /// The interface is not up.
      public static let notUp = Code(description: "notUp")
      /// The interface has no carrier: no cable, or no wireless network.
      public static let noCarrier = Code(description: "noCarrier")
      /// The interface has no address of the family that can be used.
      public static let noAddress = Code(description: "noAddress")
      /// The kernel has no route for multicast.
      public static let noRoute = Code(description: "noRoute")
      /// The system refuses to send, as a firewall does.
      public static let refused = Code(description: "refused")
      /// Sending fails.
      public static let cannotSend = Code(description: "cannotSend")
      /// What is sent does not come back, as if a firewall dropped it.
      public static let notHeard = Code(description: "notHeard")
      /// The kernel's limit of memberships in multicast groups is reached.
      public static let tooManyMemberships = Code(description: "tooManyMemberships")
      /// The multicast group cannot be joined.
      public static let cannotJoin = Code(description: "cannotJoin")
      /// Another program has UDP port 5353 and does not share it.
      public static let portTaken = Code(description: "portTaken")
      /// The family cannot be used on this machine.
      public static let noFamily = Code(description: "noFamily")
      /// The interface leads to containers or virtual machines of this machine only, and there is a network.
      public static let inside = Code(description: "inside")
      /// The interface is a port of a bridge or bond, which receives in its place.
      public static let port = Code(description: "port")
      /// The interface is point-to-point, or not multicast-capable, and was not named.
      public static let tunnel = Code(description: "tunnel")
      /// The loopback interface reaches this machine only, and there is a network.
      public static let loopback = Code(description: "loopback")
      /// The operation's interfaces and families do not include the link.
      public static let notSelected = Code(description: "notSelected")
      /// None of the interfaces that the operation may use exists or can be used.
      public static let noInterface = Code(description: "noInterface")
      /// There are more interfaces than avahi-daemon can receive on.
      public static let daemonLimit = Code(description: "daemonLimit")
      /// avahi-daemon is in another network namespace, such as the host of this container, whose interfaces are not known here.
      public static let daemonElsewhere = Code(description: "daemonElsewhere")
      /// Only the loopback interface can be used, so only programs of this machine are reached.
      public static let thisMachineOnly = Code(description: "thisMachineOnly")
    }

    /// The kind of reason.
    public let code: Code
    /// The reason, unescaped, such as `has no carrier`.
    public let reason: String
    /// What to do, unescaped, such as `plug in its cable`; nil when nothing is to be done.
    public let remedy: String?

    package init(_ code: Code, _ reason: String, remedy: String? = nil) {
      self.code = code
      self.reason = reason
      self.remedy = remedy
    }

    /// The reason and the remedy for display: characters that control a terminal, reorder text or are invisible are escaped.
    public var description: String { (remedy.map { "\(reason); \($0)" } ?? reason).escapedForDisplay }
  }
}
