import _BonjourishBase
package import _BonjourishDiscovery

/// A condition of `browse --filter`: `KEY=GLOB`, or `KEY` for a TXT record that has the key.
///
/// `name`, `type`, `domain`, `interface`, `host`, `port` and `address` are the service's properties, `any` is each of these and each
/// entry of its TXT record, and any other key is one of that record; `txt:KEY` always is. In the glob `*` stands for any text and `?`
/// for one character.
package struct ServiceFilter: Hashable, Sendable {
  private enum Subject: Hashable {
    case name, type, domain, interface, host, port, address, any
    case txt(String)

    init(_ key: String) {
      switch key {
      case "name": self = .name
      case "type": self = .type
      case "domain": self = .domain
      case "interface": self = .interface
      case "host": self = .host
      case "port": self = .port
      case "address": self = .address
      case "any": self = .any
      default: self = .txt(key.hasPrefix("txt:") ? String(key.dropFirst(4)) : key)
      }
    }
  }

  /// The condition as it was written.
  package let text: String
  private let subject: Subject
  /// Nil if the key is enough.
  private let glob: Glob?

  /// Parses a condition; returns nil if it has no key, or a property without a glob.
  package init?(_ text: String) {
    self.text = text
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    subject = Subject(String(parts[0]))
    let written = parts.count == 2 ? String(parts[1]) : nil
    switch subject {
    case .txt(let key):
      guard !key.isEmpty else { return nil }
      glob = written.map { Glob($0) }
    case .name, .type, .domain, .interface, .host, .any:
      // Names of DNS have no case.
      guard let written else { return nil }
      glob = Glob(written.lowercased())
    case .port, .address:
      guard let written else { return nil }
      glob = Glob(written)
    }
  }

  /// Whether the condition is about what only resolving finds.
  package var needsEndpoint: Bool {
    switch subject {
    case .name, .type, .domain, .interface: false
    case .host, .port, .address, .any, .txt: true
    }
  }

  /// Whether a service fulfils the condition.
  package func matches(_ service: DiscoveredService) -> Bool {
    let endpoint = service.endpoint
    switch subject {
    case .name: return matches(service.instance.name.text.lowercased())
    case .type: return matches(service.instance.type.description.lowercased())
    case .domain: return matches(service.instance.domain.text.lowercased())
    case .interface: return service.sources.contains { matches($0.name.lowercased()) }
    case .host: return endpoint.map { matches($0.host.text.lowercased()) } ?? false
    case .port: return endpoint.map { matches(String($0.port)) } ?? false
    case .address: return endpoint?.addresses.contains { matches($0.description) } ?? false
    case .any: return SearchText.fields(of: service).contains { matches($0.lowercased()) }
    case .txt(let key):
      guard let value = endpoint?.txt[key] else { return false }
      guard glob != nil else { return true }
      return value.text.map(matches) ?? false
    }
  }

  private func matches(_ text: String) -> Bool { glob?.matches(text) ?? true }
}
