import Bonjourish
import _BonjourishConsole

/// `bonjourish resolve`
struct Resolve {
  private let instance: ServiceInstance
  private let interfaces: InterfaceSelection
  private let timeout: Duration
  private let json: Bool

  init(_ arguments: Arguments) throws {
    let name = try InstanceName(arguments[Commands.name])
    instance = ServiceInstance(
      name, type: try ServiceType(shorthand: arguments[Commands.type]), domain: try arguments.domain())
    interfaces = try arguments.interfaces()
    timeout = arguments[Commands.timeout]
    json = arguments[Commands.json]
  }

  func run(on bonjour: Bonjour) async throws {
    let endpoint = try await bonjour.resolve(instance, interfaces: interfaces, within: timeout)
    if json {
      Output.standard.record(ResolveRecord(instance: instance, endpoint: endpoint))
    } else {
      Output.standard.line(Line.endpoint(endpoint))
    }
  }
}
