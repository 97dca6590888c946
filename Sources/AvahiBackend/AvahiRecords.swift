import CAvahi.Client
import Discovery

extension RecordData {
  /// Reads the data of a record as Avahi hands it out: as on the wire, names without compression.
  ///
  /// - Returns: Nil for data that is not what its type says; the network may send anything.
  init?(_ kind: RecordKind, bytes: [UInt8], seenOn interface: NetworkInterface) {
    switch kind {
    case .a, .aaaa:
      guard bytes.count == (kind == .a ? 4 : 16), let address = IPAddress(bytes: bytes, seenOn: interface) else { return nil }
      self = .address(address)
    case .txt:
      self = .text(TXTRecord(data: bytes))
    case .srv:
      guard bytes.count > 6, let host = DomainName(wire: bytes[6...]) else { return nil }
      func number(at place: Int) -> UInt16 { UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]) }
      self = .server(host: host, port: number(at: 4), priority: number(at: 0), weight: number(at: 2))
    }
  }
}
