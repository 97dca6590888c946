import Bonjourish
import _BonjourishConsole

/// `bonjourish domains`
struct Domains {
  private let domain: DomainName
  private let interfaces: InterfaceSelection
  private let once: Bool
  private let limit: Duration?
  private let json: Bool
  private let isTable: Bool

  init(_ arguments: Arguments) throws {
    domain = try arguments.domain()
    interfaces = try arguments.localInterfaces()
    once = arguments[Commands.once]
    limit = once ? .longestOnce : arguments[Commands.duration]
    json = arguments[Commands.json]
    isTable = !arguments[Commands.asLines] && Output.standard.isTerminal
  }

  func run(on bonjour: Bonjour) async throws {
    var follow = Follow<DiscoveredDomain>(
      nothing: "No domains found: the network recommends none, and \(domain) is the only one.", once: once, json: json,
      line: Self.line, writeEvent: { Output.standard.event(DomainEvent($0, $1)) })
    if once {
      follow.list = { [isTable] domains in
        let domains = domains.sorted { $0.name.text < $1.name.text }
        return isTable ? Self.table(domains).lines : domains.map { "+ \(Self.line($0))" }
      }
    }
    try await follow.run(for: limit) { body in
      try await bonjour.withDomainBrowser(domain: domain, interfaces: interfaces, body)
    }
  }

  /// The domain, what it is recommended for, and the interfaces.
  static func line(_ found: DiscoveredDomain) -> String {
    let interfaces = found.interfaces.map { Line.word($0.name) }.joined(separator: ",")
    let purposes = found.sortedPurposes.map(\.rawValue).joined(separator: ",")
    return "\(Line.word(found.name.text)) \(purposes) \(interfaces.isEmpty ? "-" : interfaces)"
  }

  static func table(_ domains: [DiscoveredDomain]) -> TextTable {
    TextTable([
      .init(heading: "Domain", cells: domains.map(\.name.text)),
      .init(heading: "Recommended for", cells: domains.map { $0.sortedPurposes.map(\.title).joined(separator: ", ") }),
      .init(heading: "On", cells: domains.map { $0.interfaces.map(\.name).joined(separator: ", ") }),
    ])
  }
}

extension DiscoveredDomain {
  /// The purposes in the order of RFC 6763 §11.
  var sortedPurposes: [Purpose] { Purpose.allCases.filter(purposes.contains) }
}

extension DiscoveredDomain.Purpose {
  /// The purpose in words.
  fileprivate var title: String {
    switch self {
    case .browsing: "browsing"
    case .defaultBrowsing: "browsing by default"
    case .automaticBrowsing: "automatic browsing"
    case .publishing: "publishing"
    case .defaultPublishing: "publishing by default"
    }
  }
}
