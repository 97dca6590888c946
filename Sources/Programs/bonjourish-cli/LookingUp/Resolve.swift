import Bonjourish
import _BonjourishConsole

/// `bonjourish resolve`
struct Resolve {
  private let instance: ServiceInstance
  private let interfaces: InterfaceSelection
  private let timeout: Duration
  private let json: Bool

  /// The longest time to wait for addresses of the other family. Hosts that answer at once have done so twice by then.
  private static let familyTimeout: Duration = .milliseconds(1_600)

  init(_ arguments: Arguments) throws {
    let name = try InstanceName(arguments[Commands.name])
    instance = ServiceInstance(
      name, type: try ServiceType(shorthand: arguments[Commands.type]), domain: try arguments.domain())
    interfaces = try arguments.interfaces()
    timeout = arguments[Commands.timeout]
    json = arguments[Commands.json]
  }

  func run(on bonjour: Bonjour) async throws {
    let start = ContinuousClock.now
    let familyTimeout = min(Self.familyTimeout, timeout / 2)
    let endpoint = try await bonjour.resolve(
      instance, interfaces: interfaces, within: timeout, waitingForFamilies: familyTimeout)
    Self.tellAbsence(in: endpoint, after: .now - start)
    if json {
      Output.standard.event(ResolveEvent(instance: instance, endpoint: endpoint))
    } else {
      Output.standard.line(Line.endpoint(endpoint))
    }
  }

  /// Says that addresses of one family were waited for in vain. A host that has none says so at once, if it can.
  private static func tellAbsence(in endpoint: Endpoint, after time: Duration) {
    guard time >= .milliseconds(500), let reason = absence(in: endpoint) else { return }
    diagnostics.warning(reason)
  }

  /// What is missing among the addresses; nil if there are some of each family.
  static func absence(in endpoint: Endpoint) -> String? {
    let families = Set(endpoint.addresses.map(\.family))
    guard let missing = IPAddress.Family.allCases.first(where: { !families.contains($0) }) else { return nil }
    return "waited for \(missing == .ipv4 ? "IPv4" : "IPv6") addresses of \(endpoint.host), and nobody has told any"
  }
}
