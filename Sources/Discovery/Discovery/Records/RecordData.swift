import _BonjourishBase

/// The parsed data of a record.
///
/// Later versions may add cases, for types that are `other` today: a `switch` has a `default` or `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RecordData: Hashable, Sendable {
  /// The address of an A or AAAA record. A link-local IPv6 address has a zone.
  case address(IPAddress)
  /// The name in a PTR, CNAME, NS or DNAME record.
  case pointer(DomainName)
  /// The data of a TXT record. Keys that break RFC 6763 §6.4 are missing; ``ResourceRecord/bytes`` has all.
  case text(TXTRecord)
  /// The data of an SRV record: the host and port of a service (RFC 2782).
  case server(host: DomainName, port: UInt16, priority: UInt16, weight: UInt16)
  /// The data of an HINFO record: the processor and the operating system of a host. The texts may hold control characters:
  /// display them after `escapedForDisplay`.
  case host(processor: String, system: String)
  /// The types of an NSEC record, sorted: those that exist for the name (RFC 6762 §6.1).
  case types([RecordType])
  /// Data of another type, or data that break the form of their type. ``ResourceRecord/bytes`` has them.
  case other

  /// Parses the data of a record. Names in it are not compressed.
  package init(_ type: RecordType, _ bytes: [UInt8], seenOn interface: NetworkInterface?) {
    self = Self.parsed(type, bytes, seenOn: interface) ?? .other
  }

  private static func parsed(_ type: RecordType, _ bytes: [UInt8], seenOn interface: NetworkInterface?) -> RecordData? {
    switch type {
    case .a, .aaaa:
      guard let address = IPAddress(bytes: bytes), (address.family == .ipv4) == (type == .a) else { return nil }
      return .address(address.seen(on: interface))
    case .ptr, .cname, .ns, .dname:
      return DomainName(wire: bytes[...]).map { .pointer($0) }
    case .txt:
      return .text(TXTRecord(data: bytes))
    case .srv:
      guard bytes.count > 6, let host = DomainName(wire: bytes[6...]) else { return nil }
      func number(at place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
      return .server(host: host, port: number(at: 4), priority: number(at: 0), weight: number(at: 2))
    case .hinfo:
      var rest = bytes[...]
      guard let processor = string(&rest), let system = string(&rest), rest.isEmpty else { return nil }
      return .host(processor: processor, system: system)
    case .nsec:
      return denied(bytes).map { .types($0) }
    default:
      return nil
    }
  }

  /// Reads a string with a length byte (RFC 1035 §3.3).
  private static func string(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let count = rest.popFirst(), rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
  }

  /// Reads the bit maps of an NSEC record, in windows of 256 types (RFC 4034 §4.1.2).
  private static func denied(_ bytes: [UInt8]) -> [RecordType]? {
    guard var rest = bytes.afterName else { return nil }
    var types: [RecordType] = []
    while let window = rest.popFirst() {
      guard let count = rest.popFirst(), (1...32).contains(count), rest.count >= count else { return nil }
      for (index, byte) in rest.prefix(Int(count)).enumerated() {
        for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
          types.append(RecordType(rawValue: UInt16(window) << 8 | UInt16(8 * index + bit)))
        }
      }
      rest = rest.dropFirst(Int(count))
    }
    return types
  }
}

extension RecordData: CustomStringConvertible {
  /// The data for display, such as `ada.local:8080`. Characters that control a terminal, reorder text or are invisible are escaped.
  public var description: String {
    switch self {
    case .address(let address): "\(address)"
    case .pointer(let name): "\(name)"
    case .text(let txt): "\(txt)"
    case .server(let host, let port, let priority, let weight):
      "\(host):\(port)" + (priority == 0 && weight == 0 ? "" : " priority \(priority) weight \(weight)")
    case .host(let processor, let system): "\(processor.escapedForDisplay), \(system.escapedForDisplay)"
    case .types(let types): types.map(\.description).joined(separator: " ")
    case .other: "other data"
    }
  }
}

extension [UInt8] {
  /// What follows a name at the beginning; nil when there is none.
  fileprivate var afterName: ArraySlice<UInt8>? {
    var rest = self[...]
    while let count = rest.popFirst() {
      if count == 0 { return rest }
      guard count <= 63, rest.count >= count else { return nil }
      rest = rest.dropFirst(Int(count))
    }
    return nil
  }
}
