/// Reads a message from front to back.
///
/// Every step is bounded by the bytes there are: counts reserve nothing, and a pointer leads only to bytes before all that
/// the name has been read from already.
struct MessageReader {
  struct Header {
    let id: UInt16
    let isResponse: Bool
    let isTruncated: Bool
    let counts: [Int]
  }

  /// How many names are remembered for records whose name is a pointer to one of them.
  private static let remembered = 8

  private let bytes: [UInt8]
  private var offset = 0
  /// Names and where they began, so that records that share a name share its bytes.
  private var names: [(offset: Int, name: DNSName)] = []
  private var nextName = 0

  init(_ bytes: [UInt8]) throws(DNSMessageError) {
    guard bytes.count <= DNSMessage.maximumBytes else { throw .tooLong(bytes: bytes.count) }
    self.bytes = bytes
    names.reserveCapacity(Self.remembered)
  }

  mutating func header() throws(DNSMessageError) -> Header {
    let id = try word()
    let flags = try word()
    let counts = [Int(try word()), Int(try word()), Int(try word()), Int(try word())]
    guard flags & 0x780F == 0 else { throw .unknownOperation(flags: flags) }
    return Header(id: id, isResponse: flags & 0x8000 != 0, isTruncated: flags & 0x0200 != 0, counts: counts)
  }

  mutating func questions(_ count: Int) throws(DNSMessageError) -> [DNSQuestion] {
    var questions: [DNSQuestion] = []
    for _ in 0..<count {
      let name = try self.name()
      let type = DNSType(rawValue: try word())
      let qclass = try word()
      guard qclass & 0x7FFF == 1 || qclass & 0x7FFF == 255 else { continue }
      questions.append(DNSQuestion(name, type, wantsUnicast: qclass & 0x8000 != 0))
    }
    return questions
  }

  mutating func records(_ count: Int) throws(DNSMessageError) -> [DNSRecord] {
    var records: [DNSRecord] = []
    for _ in 0..<count {
      let start = offset
      let name = try self.name()
      let type = DNSType(rawValue: try word())
      let rrclass = try word()
      let timeToLive = UInt32(try word()) << 16 | UInt32(try word())
      let length = Int(try word())
      guard length <= bytes.count - offset else { throw .truncated(offset: start) }
      let end = offset + length
      guard rrclass & 0x7FFF == 1, type != .opt else {
        offset = end
        continue
      }
      guard let data = try self.data(of: type, to: end, record: start) else { continue }
      // RFC 2181 §8: a time to live with its top bit set counts as zero.
      let seconds = timeToLive > UInt32(Int32.max) ? 0 : timeToLive
      records.append(DNSRecord(name, data, timeToLive: seconds, cacheFlush: rrclass & 0x8000 != 0))
    }
    return records
  }

  private mutating func data(of type: DNSType, to end: Int, record start: Int) throws(DNSMessageError) -> DNSData? {
    let data: DNSData
    switch type {
    case .a, .aaaa:
      guard let address = DNSAddress(bytes: bytes[offset..<end]), (address.family == .ipv4) == (type == .a) else {
        throw .badDataLength(offset: start)
      }
      offset = end
      return .address(address)
    case .ptr:
      data = .ptr(try name())
    case .cname:
      data = .cname(try name())
    case .srv:
      let (priority, weight, port) = (try word(), try word(), try word())
      data = .srv(DNSService(target: try name(), port: port, priority: priority, weight: weight))
    case .txt:
      data = .txt(rest(to: end))
    case .hinfo:
      data = .hinfo(cpu: try string(to: end, record: start), system: try string(to: end, record: start))
    case .nsec:
      guard let denial = nonexistence(to: end) else { return nil }
      data = denial
    default:
      data = .other(type, try expanded(type, to: end, record: start))
    }
    guard offset == end else { throw .badDataLength(offset: start) }
    return data
  }

  /// An NSEC record; one not in the restricted form is kept as it is, but for its name, which is written out
  /// (RFC 6762 §6.1, §18.14). Nil for one that has no name: it says nothing, and spoils nothing else.
  private mutating func nonexistence(to end: Int) -> DNSData? {
    guard let next = try? name(), offset <= end else {
      offset = end
      return nil
    }
    guard offset + 2 <= end, bytes[offset] == 0, case let length = Int(bytes[offset + 1]), (1...32).contains(length),
      offset + 2 + length == end
    else { return .other(.nsec, next.wire + rest(to: end)) }
    let bitmap = bytes[(offset + 2)..<end]
    offset = end
    return .nsec(next: next, types: DNSTypeSet(bitmap: bitmap))
  }

  /// The data of another type; names in them that may be compressed are written out (RFC 6762 §18.14).
  private mutating func expanded(_ type: DNSType, to end: Int, record start: Int) throws(DNSMessageError) -> [UInt8] {
    let (fixed, names) = type.layout
    guard names > 0 else { return rest(to: end) }
    guard fixed <= end - offset else { throw .badDataLength(offset: start) }
    var expanded = rest(to: offset + fixed)
    for _ in 0..<names { expanded.append(contentsOf: try name().wire) }
    guard offset <= end else { throw .badDataLength(offset: start) }
    return expanded + rest(to: end)
  }

  private mutating func rest(to end: Int) -> [UInt8] {
    defer { offset = end }
    return Array(bytes[offset..<end])
  }

  private mutating func string(to end: Int, record start: Int) throws(DNSMessageError) -> [UInt8] {
    guard offset < end, offset + 1 + Int(bytes[offset]) <= end else { throw .badDataLength(offset: start) }
    let length = Int(bytes[offset])
    offset += 1
    return rest(to: offset + length)
  }

  private mutating func word() throws(DNSMessageError) -> UInt16 {
    guard offset + 2 <= bytes.count else { throw .truncated(offset: offset) }
    defer { offset += 2 }
    return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
  }

  /// Reads a name and goes on after it.
  private mutating func name() throws(DNSMessageError) -> DNSName {
    let start = offset
    // Most names of records are a pointer to a name just read, and nothing else.
    if start + 2 <= bytes.count, bytes[start] >= 0xC0 {
      let target = Int(bytes[start] & 0x3F) << 8 | Int(bytes[start + 1])
      if let known = names.first(where: { $0.offset == target }) {
        offset += 2
        return known.name
      }
    }
    let (name, end) = try name(at: start)
    offset = end
    remember(name, at: start)
    return name
  }

  private mutating func remember(_ name: DNSName, at start: Int) {
    // A name that is a pointer alone is found by those that point to the same bytes.
    let place = bytes[start] >= 0xC0 ? Int(bytes[start] & 0x3F) << 8 | Int(bytes[start + 1]) : start
    if names.count < Self.remembered {
      names.append((place, name))
    } else {
      names[nextName] = (place, name)
      nextName = (nextName + 1) % Self.remembered
    }
  }

  private func name(at start: Int) throws(DNSMessageError) -> (DNSName, end: Int) {
    var wire: [UInt8] = []
    wire.reserveCapacity(64)
    var position = start
    var run = start  // where the bytes not yet copied begin
    var floor = start  // pointers lead to before this
    var end: Int?
    while true {
      guard position < bytes.count else { throw .truncated(offset: start) }
      let length = Int(bytes[position])
      switch length {
      case 0:
        wire.append(contentsOf: bytes[run...position])
        guard wire.count <= DNSName.maximumBytes else { throw .nameTooLong(offset: start) }
        guard Self.isText(wire) else { throw .labelNotText(offset: start) }
        return (DNSName(checkedWire: wire), end ?? position + 1)
      case 1..<64:
        position += 1 + length
        guard wire.count + position - run < DNSName.maximumBytes else { throw .nameTooLong(offset: start) }
      case 0xC0...:
        guard position + 1 < bytes.count else { throw .truncated(offset: start) }
        let target = (length & 0x3F) << 8 | Int(bytes[position + 1])
        guard target < floor else { throw .badPointer(offset: start) }
        wire.append(contentsOf: bytes[run..<position])
        if end == nil { end = position + 2 }
        floor = target
        position = target
        run = target
      default:
        throw .badLabel(offset: start)
      }
    }
  }

  /// Whether every label is UTF-8.
  private static func isText(_ wire: [UInt8]) -> Bool {
    var all: UInt8 = 0
    for byte in wire { all |= byte }
    if all < 0x80 { return true }
    return DNSName(checkedWire: wire).labels.allSatisfy { String(validating: $0, as: UTF8.self) != nil }
  }
}

extension DNSType {
  /// How the data begin, for types whose names may be compressed: with how many bytes, then how many names.
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
