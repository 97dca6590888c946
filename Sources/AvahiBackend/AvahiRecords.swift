#if Avahi
import CAvahi.Client
import Discovery

extension RecordData {
  /// Parses the data of a record from Avahi, which is in wire format with uncompressed names.
  ///
  /// - Returns: Nil for data that does not fit its type, because the network may send anything.
  init?(_ kind: RecordKind, bytes: [UInt8], seenOn interface: NetworkInterface) {
    switch kind {
    case .a, .aaaa:
      guard let address = IPAddress(bytes: bytes), (address.family == .ipv4) == (kind == .a) else { return nil }
      self = .address(address.seen(on: interface))
    case .txt:
      self = .text(TXTRecord(data: bytes))
    case .srv:
      guard bytes.count > 6, let host = DomainName(wire: bytes[6...]) else { return nil }
      func number(at place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
      self = .server(host: host, port: number(at: 4), priority: number(at: 0), weight: number(at: 2))
    }
  }
}
#endif
