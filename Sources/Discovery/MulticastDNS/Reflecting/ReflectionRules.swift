/// What a reflector lets through, by direction.
package struct ReflectionRules: Hashable, Sendable {
  /// From the link whose services are shown to the link on which they are seen. Records go that way, and the questions for them
  /// come the other way.
  package struct Direction: Hashable, Sendable, Comparable {
    package let from: UInt32
    package let to: UInt32

    package init(from: UInt32, to: UInt32) {
      self.from = from
      self.to = to
    }

    package static func < (one: Self, other: Self) -> Bool { (one.from, one.to) < (other.from, other.to) }
  }

  /// What is let through in each direction; nothing in one that is not listed.
  package var filters: [Direction: ReflectionFilter]
  /// Whether link-local addresses cross, too. Nobody on the other link reaches them.
  package var keepsLinkLocal = false

  package init(_ filters: [Direction: ReflectionFilter] = [:]) {
    self.filters = filters
  }
}

/// What is let through in one direction.
package struct ReflectionFilter: Hashable, Sendable {
  /// A type, or a subtype of it.
  package struct TypePattern: Hashable, Sendable {
    /// `_ipp._tcp.local`
    let type: DNSName
    /// `_printer._sub._http._tcp.local`; nil for the whole type.
    let subtype: DNSName?

    /// Makes a pattern from the name of a type or a subtype in `local`; returns nil for any other name.
    package init?(_ name: DNSName) {
      switch ReflectedName(name) {
      case .type(let type): (self.type, subtype) = (type, nil)
      case .subtype(let subtype, let type): (self.type, self.subtype) = (type, subtype)
      case .types, .instance, .host, .other: return nil
      }
    }
  }

  /// What does not cross, whatever is allowed.
  package enum Denial: Hashable, Sendable {
    /// A type with all of its instances; of a subtype, the questions and pointers of that name alone.
    case type(TypePattern)
    /// Instances by their names.
    case name(NameGlob)
    /// Hosts by their names, and the services on them.
    case host(NameGlob)
  }

  /// The types that cross; nil for all.
  package var types: [TypePattern]?
  /// The names of the instances that cross; empty for all.
  package var names: [NameGlob] = []
  /// The hosts that cross, also if no service leads to them; empty for those to which services lead that cross, or, where `types`
  /// and `names` allow everything, for all.
  package var hosts: [NameGlob] = []
  package var denials: [Denial] = []

  /// Everything crosses, except what is denied.
  package init(types: [TypePattern]? = nil, denials: [Denial] = []) {
    self.types = types
    self.denials = denials
  }

  /// Whether something is said about what crosses, so that a host needs a service that leads to it.
  var isSelective: Bool { types != nil || !names.isEmpty }
}

/// The rule that keeps a question or a record from crossing.
package enum ReflectionRule: Hashable, Sendable {
  /// ``ReflectionFilter/denials`` has one, at this place.
  case denied(Int)
  /// The type, or the subtype, is not allowed.
  case type
  /// The name of the instance is not allowed.
  case name
  /// The host is not allowed, or no service leads to it that crosses.
  case host
  /// Nothing crosses in this direction.
  case direction
  /// Other domains, reverse mapping, and records that do not fit their names.
  case form
  /// An address that cannot be reached from another link.
  case linkLocal
  /// It was on the other link a moment ago (RFC 6762 §6, §7.3, §7.4).
  case recent
  /// It belongs to another link than that on which it was heard: a reflector repeats it, or a host has an interface in each.
  case elsewhere
  /// The link has got as much as it may.
  case budget
}
