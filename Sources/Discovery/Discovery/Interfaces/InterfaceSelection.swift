import _BonjourishBase

/// The network interfaces that an operation uses.
///
/// An operation follows names: an interface that comes later and matches is used from then on, and one that goes is dropped.
///
/// ```swift
/// .all                              // the default
/// "eth0"                            // one interface
/// ["eth*", "wlan0"]                 // those that match a name or a pattern
/// .except("eth1")                   // all but one
/// .only("eth*").except("eth7")
/// .all.over(.ipv4)                  // without IPv6
/// ```
///
/// ``all`` stands for the interfaces that lead to other machines: those that are multicast-capable, and neither loopback nor
/// point-to-point. While one of them can be used, it leaves out what leads into containers and virtual machines of this machine:
/// bridges to which only such machines are connected (`docker0`, `br-…`, `virbr0`, `podman0`, `cni0`, `lxcbr0`, `lxdbr0`), and
/// virtual cables (`veth…`). Otherwise, as inside of a container, it uses them. The ports of bridges and bonds are left out, because
/// the bridge or bond receives what arrives there. When nothing else can be used, the loopback interface is, so that the programs
/// of this machine find each other. The kernel's facts decide, not names.
///
/// A name or pattern includes whatever it matches, also what ``all`` leaves out.
///
/// A directory is no interface: it is used whatever is named here, unless ``usesDirectory`` is false.
public struct InterfaceSelection: Hashable, Sendable {
  /// The names and patterns of the interfaces to use; when it is empty, those that ``all`` stands for.
  public var included: Set<String>
  /// The names and patterns of interfaces that are not used, even if `included` names them.
  public var excluded: Set<String>
  /// The address families to use; mDNS runs separately on each (RFC 6762 §20). An empty set means both.
  public var families: Set<IPAddress.Family>
  /// Whether a directory is used, too, by a `Bonjour` that has one.
  public var usesDirectory = true
  /// Whether what leads into containers, and the loopback interface, is used without being named, too: a daemon does not know what
  /// its clients want.
  package var usesEveryKind = false
  /// The kernel's index of the only interface; nil for all. What the names leave out stays left out; an interface that is renamed, or
  /// comes later, is followed.
  package var index: UInt32?

  /// Makes a selection.
  ///
  /// In names, `*` stands for any characters and `?` for one.
  ///
  /// - Parameters:
  ///   - included: The names and patterns of the interfaces to use; when it is empty, those that ``all`` stands for.
  ///   - excluded: The names and patterns of interfaces that are not used.
  ///   - families: The address families; an empty set means both.
  public init(included: Set<String> = [], excluded: Set<String> = [], families: Set<IPAddress.Family> = []) {
    self.included = included
    self.excluded = excluded
    self.families = families
  }

  /// Makes a selection from names and patterns as on a command line; one that begins with `!` is excluded.
  ///
  /// - Parameter terms: The names and patterns, such as `eth*` and `!eth7`.
  public init(_ terms: some Sequence<String>) {
    self.init(included: [])
    for term in terms {
      if term.hasPrefix("!") { excluded.insert(String(term.dropFirst())) } else { included.insert(term) }
    }
  }

  /// All interfaces that lead to other machines, as the type's description tells.
  public static let all = InterfaceSelection(included: [])

  /// The interfaces that match one of some names and patterns.
  public static func only(_ names: String...) -> InterfaceSelection { InterfaceSelection(included: Set(names)) }

  /// One interface, by its name.
  public static func only(_ interface: NetworkInterface) -> InterfaceSelection { .only(interface.name) }

  /// What ``all`` stands for without the interfaces that match one of some names and patterns.
  public static func except(_ names: String...) -> InterfaceSelection { InterfaceSelection(excluded: Set(names)) }

  /// The selection without the interfaces that match one of some names and patterns.
  public func except(_ names: String...) -> InterfaceSelection {
    var copy = self
    copy.excluded.formUnion(names)
    return copy
  }

  /// No interface: what uses this is found and published in a directory alone.
  public static let directoryOnly = InterfaceSelection(excluded: ["*"])

  /// Whether an interface can be among these.
  package var usesLocalNetwork: Bool { !excluded.contains("*") }

  /// The selection without a directory.
  public var withoutDirectory: Self {
    var copy = self
    copy.usesDirectory = false
    return copy
  }

  /// The selection over certain address families only.
  public func over(_ families: IPAddress.Family...) -> InterfaceSelection {
    var copy = self
    copy.families = Set(families)
    return copy
  }

  /// The name of the only interface; nil for a selection that may contain several.
  public var onlyName: String? {
    guard included.count == 1, let name = included.first, !name.utf8.contains(where: { $0 == 0x2A || $0 == 0x3F }),
      !Self.matches(excluded, name)
    else { return nil }
    return name
  }

  /// Whether one of some names and patterns matches a name.
  static func matches(_ patterns: Set<String>, _ name: String) -> Bool {
    patterns.contains(name) || patterns.contains { Glob($0).matches(name) }
  }
}

extension InterfaceSelection: ExpressibleByArrayLiteral, ExpressibleByStringLiteral {
  /// Makes a selection from names and patterns; one that begins with `!` is excluded.
  public init(arrayLiteral terms: String...) { self.init(terms) }

  /// Makes a selection from a name or pattern; if it begins with `!`, it is excluded.
  public init(stringLiteral term: String) { self.init([term]) }
}

extension InterfaceSelection: CustomStringConvertible {
  /// The selection for display, such as `eth*, wlan0, not eth7, only IPv4`.
  public var description: String {
    let names = included.isEmpty ? ["all"] : included.sorted()
    let families = families.count == 1 ? self.families.map { $0 == .ipv4 ? "only IPv4" : "only IPv6" } : []
    let directory = usesDirectory ? [] : ["no directory"]
    return (names + excluded.sorted().map { "not \($0)" } + families + directory).joined(separator: ", ").escapedForDisplay
  }

  package func contains(_ family: IPAddress.Family) -> Bool { families.isEmpty || families.contains(family) }
}
