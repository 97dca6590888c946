/// The type of a DNS record, such as A or SRV: a number that IANA assigns (RFC 6895).
///
/// ```swift
/// let known: RecordType = .srv
/// let unknown = try RecordType("TYPE65280")
/// ```
public struct RecordType: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  public let rawValue: UInt16

  /// Makes a type from its number. All numbers are allowed.
  public init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// An IPv4 address (RFC 1035).
  public static let a = RecordType(rawValue: 1)
  /// A name server (RFC 1035).
  public static let ns = RecordType(rawValue: 2)
  /// The name that this one is an alias of (RFC 1035).
  public static let cname = RecordType(rawValue: 5)
  /// A pointer to another name (RFC 1035). DNS-SD lists instances, types and domains by it (RFC 6763).
  public static let ptr = RecordType(rawValue: 12)
  /// The processor and the operating system of a host (RFC 1035).
  public static let hinfo = RecordType(rawValue: 13)
  /// Strings; for a service its keys and values (RFC 6763 §6).
  public static let txt = RecordType(rawValue: 16)
  /// An IPv6 address (RFC 3596).
  public static let aaaa = RecordType(rawValue: 28)
  /// The host and port of a service (RFC 2782).
  public static let srv = RecordType(rawValue: 33)
  /// A pointer to another tree of names (RFC 6672).
  public static let dname = RecordType(rawValue: 39)
  /// The types that exist for a name; all others do not (RFC 6762 §6.1).
  public static let nsec = RecordType(rawValue: 47)
  /// The ways to use a web server (RFC 9460).
  public static let https = RecordType(rawValue: 65)
  /// Every type, in a question.
  public static let any = RecordType(rawValue: 255)

  /// Reads a type from text.
  ///
  /// - Parameter text: IANA's name in upper or lower case, such as `SRV`; `ANY`; or `TYPE` and the number, such as `TYPE65`
  ///   (RFC 3597 §5).
  /// - Throws: ``DiscoveryError`` with code `invalidRecordType` for any other text.
  public init(_ text: String) throws(DiscoveryError) {
    let name = String(decoding: text.utf8.map { $0.isASCIILetter ? $0 & 0xDF : $0 }, as: UTF8.self)
    if let known = Self.names.first(where: { $0.value.utf8.elementsEqual(name.utf8) }) {
      self.init(rawValue: known.key)
    } else if name == "*" {
      self = .any
    } else if name.hasPrefix("TYPE"), name.utf8.dropFirst(4).allSatisfy(\.isASCIIDigit), let number = UInt16(name.dropFirst(4))
    {
      self.init(rawValue: number)
    } else {
      throw DiscoveryError(
        .invalidRecordType,
        "record type \"\(text)\": there is no such type here; write it like A, SRV or ANY, or by its number like TYPE65")
    }
  }

  /// IANA's names of the types that are in use.
  private static let names: [UInt16: String] = [
    1: "A", 2: "NS", 5: "CNAME", 6: "SOA", 12: "PTR", 13: "HINFO", 15: "MX", 16: "TXT", 17: "RP", 18: "AFSDB", 24: "SIG",
    25: "KEY", 28: "AAAA", 29: "LOC", 33: "SRV", 35: "NAPTR", 36: "KX", 37: "CERT", 39: "DNAME", 41: "OPT", 42: "APL", 43: "DS",
    44: "SSHFP", 45: "IPSECKEY", 46: "RRSIG", 47: "NSEC", 48: "DNSKEY", 49: "DHCID", 50: "NSEC3", 51: "NSEC3PARAM", 52: "TLSA",
    53: "SMIMEA", 55: "HIP", 59: "CDS", 60: "CDNSKEY", 61: "OPENPGPKEY", 62: "CSYNC", 63: "ZONEMD", 64: "SVCB", 65: "HTTPS",
    99: "SPF", 108: "EUI48", 109: "EUI64", 249: "TKEY", 250: "TSIG", 251: "IXFR", 252: "AXFR", 255: "ANY", 256: "URI",
    257: "CAA",
  ]
}

extension RecordType: CustomStringConvertible {
  /// IANA's name, such as `SRV`, or `TYPE` and the number for a type without a name here (RFC 3597 §5).
  public var description: String { Self.names[rawValue] ?? "TYPE\(rawValue)" }
}
