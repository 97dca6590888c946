/// A DNS record, and the link that it was seen on.
///
/// A record that is seen on several interfaces or address families is one value for each of them.
public struct ResourceRecord: Hashable, Sendable, Identifiable {
  /// The name that the record describes.
  public let name: DomainName
  /// The type.
  public let type: RecordType
  /// The data as on the wire, with uncompressed names.
  public let bytes: [UInt8]
  /// The parsed data.
  public let data: RecordData
  /// The time to live with which the record was received (at most a day), or that it is published with. Nil when it is not known:
  /// avahi-daemon does not tell it.
  public let timeToLive: Duration?
  /// Whether the name has a single owner for this type: the cache-flush bit (RFC 6762 §10.2). Nil when it is not known:
  /// avahi-daemon does not tell it.
  public let isUnique: Bool?
  /// Where the record was seen: the interface or directory, and the address family.
  public let link: Link
  /// The address of the host that sent the record last when it was found. A link-local IPv6 address has a zone. Nil when it is not
  /// known: avahi-daemon does not tell it, and the built-in engine does not for records that this process publishes, and for those
  /// of more than 256 hosts.
  public let sender: IPAddress?

  /// Makes a record like one that is received, for previews and tests.
  ///
  /// - Parameters:
  ///   - name: The name that the record describes.
  ///   - type: The type.
  ///   - bytes: The data as on the wire, with uncompressed names. ``data`` is parsed from them.
  ///   - timeToLive: The time to live; nil when it is not known.
  ///   - isUnique: Whether the name has a single owner for this type; nil when it is not known.
  ///   - link: Where the record was seen.
  ///   - sender: The address of the host that sent it; nil when it is not known.
  public init(
    name: DomainName, type: RecordType, bytes: [UInt8], timeToLive: Duration? = nil, isUnique: Bool? = nil,
    on link: Link, sender: IPAddress? = nil
  ) {
    self.name = name
    self.type = type
    self.bytes = bytes
    data = RecordData(type, bytes, seenOn: link.source.interface)
    self.timeToLive = timeToLive
    self.isUnique = isUnique
    self.link = link
    self.sender = sender?.seen(on: link.source.interface)
  }

  /// The identity of a record: everything but its lifetime and its sender.
  public struct ID: Hashable, Sendable {
    // Compared in this order: what differs most often comes first.
    private let bytes: [UInt8]
    private let link: Link
    private let type: RecordType
    private let name: DomainName

    fileprivate init(_ record: ResourceRecord) {
      name = record.name
      type = record.type
      bytes = record.comparableBytes
      link = record.link
    }
  }

  /// The identity of the record, which stays the same when its time to live changes.
  public var id: ID { ID(self) }

  /// The data, with the ASCII letters of names in lower case (RFC 6762 §16).
  private var comparableBytes: [UInt8] {
    let nameStart: Int
    switch data {
    case .pointer: nameStart = 0
    case .server: nameStart = 6
    case .address, .text, .host, .types, .other: return bytes
    }
    guard bytes[nameStart...].contains(where: \.isUppercase) else { return bytes }
    // Length bytes of labels, at most 63, are no letters.
    return bytes[..<nameStart] + bytes[nameStart...].map { $0.isUppercase ? $0 | 0x20 : $0 }
  }
}

extension UInt8 {
  fileprivate var isUppercase: Bool { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) }
}

extension ResourceRecord: CustomStringConvertible {
  /// The name, the type and the data for display, such as `printer.local AAAA fe80::1%eth0`.
  public var description: String {
    if case .other = data { return "\(name) \(type) (\(bytes.count) bytes)" }
    return "\(name) \(type) \(data)"
  }
}
