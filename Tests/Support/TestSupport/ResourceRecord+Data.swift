package import _BonjourishDiscovery

extension ResourceRecord {
  /// A record with parsed data, for tests to which its name and lifetime do not matter.
  package init(_ data: RecordData, name: DomainName = "x.local", on link: Link) {
    let (type, bytes): (RecordType, [UInt8]) =
      switch data {
      case .address(let address): (address.family == .ipv4 ? .a : .aaaa, address.bytes)
      case .pointer(let target): (.ptr, target.wire)
      case .text(let txt): (.txt, txt.strings.flatMap { [UInt8($0.count)] + $0 })
      case .server(let host, let port, let priority, let weight):
        (.srv, [priority, weight, port].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + host.wire)
      case .host, .types, .other: preconditionFailure("data must be of a service")
      }
    self.init(name: name, type: type, bytes: bytes, on: link)
  }
}

extension DomainName {
  fileprivate var wire: [UInt8] { labels.flatMap { [UInt8($0.count)] + $0 } + [0] }
}
