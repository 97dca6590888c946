/// A DNS record of any type to publish.
public struct CustomRecord: Hashable, Sendable {
  /// The name of the record, such as `ada.local`.
  public let name: DomainName
  /// The type of the record, such as `.hinfo`.
  public let type: RecordType
  /// The data as it is on the wire. Names in it are not compressed (RFC 1035 §3.1).
  public let data: [UInt8]
  /// Whether no other host may have records of this name. The name is then probed for and defended (RFC 6762 §8, §9).
  public let isUnique: Bool

  /// The maximum size of the data in bytes: a message with the record fits into 9,000 bytes (RFC 6762 §17).
  public static let maximumByteCount = 8_192

  /// Checks a record and makes it.
  ///
  /// It lives for two minutes if its type is A, AAAA, SRV or HINFO, and for 75 minutes otherwise (RFC 6762 §10).
  ///
  /// - Parameters:
  ///   - name: The name of the record.
  ///   - type: The type. Types that exist only in questions or in the message's header are refused (RFC 6895 §3.1),
  ///     and NSEC, which the responder itself makes (RFC 6762 §6.1).
  ///   - data: The data as it is on the wire, with uncompressed names, at most 8,192 bytes.
  ///   - isUnique: Whether no other host may have records of this name.
  /// - Throws: ``DiscoveryError`` with code `invalidRecord` when the type or the size breaks these rules. Data that do not fit
  ///   their type are refused when the record is published.
  public init(_ name: DomainName, type: RecordType, data: some Sequence<UInt8>, isUnique: Bool) throws(DiscoveryError) {
    self.name = name
    self.type = type
    self.data = Array(data)
    self.isUnique = isUnique
    func invalid(_ reason: String) -> DiscoveryError {
      DiscoveryError(.invalidRecord, "record of type \(type) for \"\(name)\": \(reason)")
    }
    switch type.rawValue {
    case 0, 41, 47, 128...255: throw invalid("this type cannot be published; use the type of data, such as TXT")
    default: break
    }
    guard self.data.count <= Self.maximumByteCount else {
      throw invalid("the data have \(self.data.count) bytes; at most \(Self.maximumByteCount) are allowed; shorten them")
    }
  }

  /// Makes the record that gives a name a second name (RFC 1035 §3.3.1): who asks for `alias` gets the records of `target`.
  ///
  /// Some programs do not follow such aliases in multicast DNS. A published host, which has addresses, works for all.
  ///
  /// - Parameters:
  ///   - alias: The second name. No other host may have it.
  ///   - target: The name that it stands for.
  public static func alias(_ alias: DomainName, for target: DomainName) -> CustomRecord {
    CustomRecord(checked: alias, type: .cname, data: target.wire, isUnique: true)
  }

  private init(checked name: DomainName, type: RecordType, data: [UInt8], isUnique: Bool) {
    self.name = name
    self.type = type
    self.data = data
    self.isUnique = isUnique
  }
}
