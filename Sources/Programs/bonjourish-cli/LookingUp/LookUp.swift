import Bonjourish
import _BonjourishConsole

/// `bonjourish lookup`
struct LookUp {
  private enum Subject {
    case host(DomainName)
    case address(IPAddress)
  }

  private let subject: Subject
  private let interfaces: InterfaceSelection
  private let timeout: Duration
  private let json: Bool

  init(_ arguments: Arguments) throws {
    let text = arguments[Commands.hostOrAddress]
    if let address = IPAddress(text) {
      subject = .address(address)
    } else {
      subject = .host(try Self.name(text))
    }
    interfaces = try arguments.interfaces()
    timeout = arguments[Commands.timeout]
    json = arguments[Commands.json]
  }

  /// A name without a dot is one in `local`.
  static func name(_ text: String) throws(DiscoveryError) -> DomainName {
    let name = try DomainName(text)
    return text.contains(".") ? name : try DomainName("\(text).local")
  }

  func run(on bonjour: Bonjour) async throws {
    switch subject {
    case .host(let host):
      let addresses = try await Self.explaining(host) {
        try await bonjour.addresses(ofHost: host, interfaces: interfaces, within: timeout)
      }
      for address in addresses { show(host, address, "\(address)") }
    case .address(let address):
      for host in try await bonjour.hostNames(of: address, interfaces: interfaces, within: timeout) {
        show(host, address, Line.word(host.text))
      }
    }
  }

  /// Says what to do when avahi-daemon refuses a name that multicast DNS does not have.
  static func explaining<Result>(_ name: DomainName, _ look: () async throws -> Result) async throws -> Result {
    do {
      return try await look()
    } catch let error as DiscoveryError where error.code == .refused && !isLocal(name) {
      throw Failure(.unavailable, "\(error.message); \(name) is not a name in local: ask DNS, as with `getent hosts \(name)`")
    }
  }

  private static func isLocal(_ name: DomainName) -> Bool {
    name.text.lowercased().split(separator: ".").last == "local"
  }

  private func show(_ host: DomainName, _ address: IPAddress, _ answer: String) {
    if json {
      Output.standard.event(AddressEvent(host: host.text, address: address.description))
    } else {
      Output.standard.line(answer)
    }
  }
}
