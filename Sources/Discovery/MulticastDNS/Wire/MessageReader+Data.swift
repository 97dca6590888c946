import _BonjourishDiscovery

extension MessageReader {
  /// Reads the data after a record's head, and moves past them; nil for invalid data.
  mutating func data(of head: RecordHead) -> DNSData? {
    defer { offset = head.end }
    guard let data = data(of: head.type, to: head.end), offset == head.end else { return nil }
    return data
  }

  /// Reads the data of a record; nil for invalid data. Valid data end at `end`.
  private mutating func data(of type: DNSType, to end: Int) -> DNSData? {
    switch type {
    case .a:
      return end - offset == 4 ? .address(.ipv4(UInt32(number(ofBytes: 4)))) : nil
    case .aaaa:
      return end - offset == 16 ? .address(.ipv6(high: number(ofBytes: 8), low: number(ofBytes: 8))) : nil
    case .ptr:
      return dataName().map { .ptr($0) }
    case .cname:
      return dataName().map { .cname($0) }
    case .srv:
      guard end - offset >= 6, let priority = try? word(), let weight = try? word(), let port = try? word(),
        let target = dataName()
      else { return nil }
      return .srv(DNSService(target: target, port: port, priority: priority, weight: weight))
    case .txt:
      return .txt(rest(to: end))
    case .hinfo:
      guard let cpu = string(to: end), let system = string(to: end) else { return nil }
      return .hinfo(cpu: cpu, system: system)
    case .nsec:
      return nonexistence(to: end)
    default:
      return expanded(type, to: end).map { .other(type, $0) }
    }
  }

  /// Reads a name in the data of a record; nil for an invalid one.
  private mutating func dataName() -> DNSName? { try? name() }

  /// Reads the data of an NSEC record. Data that are not in the restricted form are kept as they are, except that the name is
  /// uncompressed (RFC 6762 §6.1, §18.14).
  private mutating func nonexistence(to end: Int) -> DNSData? {
    guard let next = dataName(), offset <= end else { return nil }
    guard offset + 2 <= end, bytes[offset] == 0, case let length = Int(bytes[offset + 1]), (1...32).contains(length),
      offset + 2 + length == end
    else { return .other(.nsec, next.wire + rest(to: end)) }
    let bitmap = bytes[(offset + 2)..<end]
    offset = end
    return .nsec(next: next, types: DNSTypeSet(bitmap: bitmap))
  }

  /// Reads the data of another type. Names that may be compressed are uncompressed (RFC 6762 §18.14).
  private mutating func expanded(_ type: DNSType, to end: Int) -> [UInt8]? {
    let (fixed, names) = type.layout
    guard names > 0 else { return rest(to: end) }
    guard fixed <= end - offset else { return nil }
    var expanded = rest(to: offset + fixed)
    for _ in 0..<names {
      guard let name = dataName() else { return nil }
      expanded.append(contentsOf: name.wire)
    }
    return offset <= end ? expanded + rest(to: end) : nil
  }

  private mutating func rest(to end: Int) -> [UInt8] {
    defer { offset = end }
    return Array(bytes[offset..<end])
  }

  private mutating func string(to end: Int) -> [UInt8]? {
    guard offset < end, case let length = Int(bytes[offset]), offset + 1 + length <= end else { return nil }
    offset += 1
    return rest(to: offset + length)
  }

  /// Reads bytes that are known to be there as a number.
  private mutating func number(ofBytes count: Int) -> UInt64 {
    defer { offset += count }
    var number: UInt64 = 0
    for byte in bytes[offset..<(offset + count)] { number = number << 8 | UInt64(byte) }
    return number
  }
}

extension DNSType {
  /// The start of the data of types whose names may be compressed: the number of bytes, then the number of names.
  fileprivate var layout: (bytes: Int, names: Int) {
    switch rawValue {
    case 2, 39: (0, 1)  // NS, DNAME
    case 6, 17: (0, 2)  // SOA, RP
    case 15, 18, 21, 36: (2, 1)  // MX, AFSDB, RT, KX
    case 26: (2, 2)  // PX
    default: (0, 0)
    }
  }
}
