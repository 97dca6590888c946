#if Avahi
import CBonjourishAvahi.Common
package import _BonjourishDiscovery

extension ResourceRecord {
  /// Makes a record from what Avahi tells of it.
  ///
  /// - Parameters:
  ///   - name: The name. Avahi escapes more bytes than necessary: `Ada\039s\032game`.
  ///   - type: The type.
  ///   - bytes: The data in wire format. Names in types that Avahi knows are uncompressed.
  ///   - link: The link that the record was seen on.
  /// - Returns: Nil for a name that is not UTF-8.
  package init?(name: String, type: RecordType, bytes: [UInt8], on link: Link) {
    guard let labels = try? DomainName(name).labels, let name = DomainName(labels: labels) else { return nil }
    var bytes = bytes
    // Avahi does not know NSEC, so its name is still compressed. It can only be the record's own (RFC 6762 §6.1).
    if type == .nsec, let first = bytes.first, first >= 0xC0, bytes.count > 2 {
      bytes = labels.wire + bytes[2...]
    }
    self.init(name: name, type: type, bytes: bytes, on: link)
  }
}

extension RecordQuestion.Name {
  /// How Avahi is to look the name up: one in reverse mapping by multicast, which it would otherwise do for link-local addresses
  /// only (RFC 6762 §4); any other as it chooses.
  var avahiFlags: AvahiLookupFlags {
    dnsText.asciiLowercased().hasSuffix(".arpa") ? AVAHI_LOOKUP_USE_MULTICAST : AvahiLookupFlags(0)
  }
}

extension RecordType {
  /// The reason why avahi-daemon cannot be asked for the type; nil when it can.
  var reasonToRefuse: String? {
    switch self {
    case .any:
      "avahi-daemon cannot be asked for all types at once; ask for one type after another, or use the built-in engine"
    case .cname:
      // It looks for CNAME records of the alias' target instead, without end.
      "avahi-daemon follows aliases and does not report them; ask for A or AAAA, or use the built-in engine"
    default:
      nil
    }
  }
}
#endif
