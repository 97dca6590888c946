import Bonjourish
import _BonjourishConsole

/// `bonjourish types`
struct Types {
  private let domain: DomainName
  private let interfaces: InterfaceSelection
  private let once: Bool
  private let limit: Duration?
  private let json: Bool

  /// The longest time that `--once` waits.
  private static let longestOnce: Duration = .seconds(10)

  init(_ arguments: Arguments) throws {
    domain = try arguments.domain()
    interfaces = try arguments.localInterfaces()
    once = arguments[Commands.once]
    limit = once ? Self.longestOnce : arguments[Commands.duration]
    json = arguments[Commands.json]
  }

  func run(on bonjour: Bonjour) async throws {
    let follow = Follow<DiscoveredServiceType>(
      what: "services", once: once, json: json, line: Self.line, record: { Output.standard.record(TypeRecord($0, $1)) })
    try await follow.run(for: limit) { body in
      try await bonjour.withServiceTypeBrowser(domain: domain, interfaces: interfaces, body)
    }
  }

  /// The type, the interfaces, and what a service of a well-known type is.
  static func line(_ found: DiscoveredServiceType) -> String {
    let interfaces = found.interfaces.map { Line.word($0.name) }.joined(separator: ",")
    let type = found.domain == .local ? Line.word("\(found.type)") : Line.word("\(found.type).\(found.domain.text)")
    return ([type, interfaces.isEmpty ? "-" : interfaces] + (KnownType.title(of: found.type).map { [Line.quoted($0)] } ?? []))
      .joined(separator: " ")
  }
}
