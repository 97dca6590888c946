import Bonjourish
import _BonjourishConsole
import _BonjourishMulticastDNS

/// What the command line of `reflect` says: the interfaces, and the rules between them.
struct ReflectPlan {
  let names: [String]
  let rules: ReflectionRules
  /// What was denied of the services of each interface, as it was written, in the order of the rules.
  private let denials: [UInt32: [String]]

  init(_ arguments: Arguments) throws {
    let names = arguments[Commands.between].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    if let odd = names.first(where: { $0.isEmpty || $0.contains { "*?!:/ ".contains($0) } }) {
      throw Commands.reflect.usageError("--between '\(odd)': not the name of an interface; give names, such as eth0,eth1")
    }
    let types = try arguments[Commands.reflectedTypes].map { try Self.scoped($0, of: "--type", among: names) }
    let denied = try arguments[Commands.denied].map { try Self.scoped($0, of: "--deny", among: names) }
    let count = UInt32(names.count)
    var (rules, denials): (ReflectionRules, [UInt32: [String]]) = (ReflectionRules(), [:])
    rules.keepsLinkLocal = arguments[Commands.keepsLinkLocal]
    for from in 1..<(count + 1) where from == 1 || !arguments[Commands.oneWay] {
      let name = names[Int(from) - 1]
      var filter = ReflectionFilter()
      let own = types.filter { $0.interface == nil || $0.interface == name }
      // Where types are named for other interfaces only, this one shows nothing.
      if !types.isEmpty, own.isEmpty { continue }
      if !types.isEmpty { filter.types = try own.flatMap { try Self.patterns($0.text) } }
      filter.names = arguments[Commands.reflectedNames]
      filter.hosts = arguments[Commands.reflectedHosts]
      for denial in denied where denial.interface == nil || denial.interface == name {
        for one in try Self.denials(denial.text) {
          filter.denials.append(one.denial)
          denials[from, default: []].append(one.text)
        }
      }
      for to in 1..<(count + 1) where to != from { rules.filters[.init(from: from, to: to)] = filter }
    }
    (self.names, self.rules, self.denials) = (names, rules, denials)
  }

  /// The name of an interface by its number.
  func name(_ number: UInt32) -> String { names[Int(number) - 1] }

  /// What a rule is called on the command line, or what it is about.
  func text(_ rule: ReflectionRule, of direction: ReflectionRules.Direction) -> String {
    switch rule {
    case .denied(let place):
      if let texts = denials[direction.from], texts.indices.contains(place) { "--deny \(texts[place])" } else { "--deny" }
    case .type: "not a type of --type"
    case .name: "not a name of --name"
    case .host: "a host to which no such service leads"
    case .direction: "nothing crosses this way"
    case .form: "another domain, reverse mapping, or no part of a service"
    case .linkLocal: "a link-local address"
    case .recent: "said there a moment ago"
    case .elsewhere: "lives on another link"
    case .budget: "too much at once"
    }
  }

  // MARK: - Parsing

  /// A value that may be about the services of one interface: `eth0:ipp`.
  private static func scoped(
    _ text: String, of option: String, among names: [String]
  ) throws -> (interface: String?, text: String) {
    guard let colon = text.firstIndex(of: ":") else { return (nil, text) }
    let scope = String(text[..<colon])
    if names.contains(scope) { return (scope, String(text[text.index(after: colon)...])) }
    // The colon is in a pattern, or in the name of a subtype.
    if scope.contains("=") || scope.hasPrefix("_") { return (nil, text) }
    throw Commands.reflect.usageError(
      "\(option) \(text): '\(scope)' is none of the interfaces of --between; give one of \(names.joined(separator: ", "))")
  }

  private static func patterns(_ text: String) throws -> [ReflectionFilter.TypePattern] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      guard !word.contains(":") || word.hasPrefix("_") else {
        throw Commands.reflect.usageError("'\(word)': name the interface in an option of its own, such as --type \(word)")
      }
      let sought = try SoughtType(parsing: String(word))
      let name = "\(sought.subtype.map { $0.name(of: sought.type) } ?? sought.type.dnsText).local"
      guard let dnsName = try? DNSName(name), let pattern = ReflectionFilter.TypePattern(dnsName) else {
        throw Commands.reflect.usageError("'\(word)': not a service type; give one such as ipp or _ipp._tcp")
      }
      return pattern
    }
  }

  private static func denials(_ text: String) throws -> [(denial: ReflectionFilter.Denial, text: String)] {
    for (key, make) in [
      ("name=", ReflectionFilter.Denial.name), ("host=", ReflectionFilter.Denial.host),
    ] as [(String, (NameGlob) -> ReflectionFilter.Denial)] where text.hasPrefix(key) {
      guard let glob = NameGlob(String(text.dropFirst(key.count))) else {
        throw Commands.reflect.usageError("--deny \(text): the pattern is missing; give one such as \(key)Test*")
      }
      return [(make(glob), text)]
    }
    return try zip(patterns(text), text.split(separator: ",")).map { (.type($0), String($1)) }
  }
}
