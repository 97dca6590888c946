import Discovery

extension DNSData {
  /// The data in wire format with uncompressed names, to compare probes (RFC 6762 §8.2) and for those who look records up.
  package var uncompressed: [UInt8] {
    switch self {
    case .address(let address):
      address.bytes
    case .ptr(let name), .cname(let name):
      name.wire
    case .srv(let service):
      [service.priority, service.weight, service.port].flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + service.target.wire
    case .txt(let bytes), .other(_, let bytes):
      bytes
    case .nsec(let next, let types):
      next.wire + [0, UInt8(types.bitmap.count)] + types.bitmap
    case .hinfo(let cpu, let system):
      [UInt8(truncatingIfNeeded: cpu.count)] + cpu + [UInt8(truncatingIfNeeded: system.count)] + system
    }
  }
}
