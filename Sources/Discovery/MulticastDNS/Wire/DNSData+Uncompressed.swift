import _BonjourishDiscovery

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

extension DNSData {
  /// Reads data in wire format with uncompressed names.
  ///
  /// - Returns: Nil when they do not fit the type.
  package init?(_ type: DNSType, uncompressed bytes: [UInt8]) {
    func word(_ value: Int) -> [UInt8] { [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
    // A response with the record as its only answer, which has the root's name.
    let header: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    let record = [0] + word(Int(type.rawValue)) + word(1) + word(0) + word(0) + word(bytes.count) + bytes
    guard let data = try? DNSMessage(parsing: header + record).answers.first?.data, data.uncompressed == bytes else {
      return nil
    }
    self = data
  }
}
