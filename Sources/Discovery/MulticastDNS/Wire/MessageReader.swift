/// Reads a message from start to end.
///
/// A question or record with an invalid name or invalid data is dropped. The message is invalid only if the end of an element
/// cannot be found.
///
/// Every step is bounded by the number of bytes: counts reserve no more memory than these can fill, and a pointer must point before
/// all bytes from which the name was read so far. The number of pointers is bounded too, because long chains of pointers take no more
/// bytes.
struct MessageReader {
  struct Header {
    let id: UInt16
    let flags: UInt16
    let counts: [Int]

    var isResponse: Bool { flags & 0x8000 != 0 }
    var isTruncated: Bool { flags & 0x0200 != 0 }
    /// The operation code and the response code, in their places.
    var operationAndResponse: UInt16 { flags & 0x780F }
  }

  /// The number of recent names that are kept for records whose name is a pointer to one of them.
  private static let remembered = 8
  /// The number of pointers that every name may follow. Writers need few: one for each part that earlier names share.
  private static let pointersPerName = 4
  /// The number of pointers that all names of a message may follow beyond these. Names with more are invalid.
  private static let morePointers = 128

  /// The shortest record in bytes: the root's name, and no data.
  private static let shortestRecord = 11

  let bytes: [UInt8]
  var offset = 0
  /// The recent names and their offsets. Records that share a name share its bytes.
  private var names: [(offset: Int, name: DNSName)] = []
  private var nextName = 0
  private var morePointersLeft = MessageReader.morePointers

  init(_ bytes: [UInt8]) throws(DNSMessageError) {
    guard bytes.count <= DNSMessage.maximumBytes else { throw .tooLong(bytes: bytes.count) }
    self.bytes = bytes
    names.reserveCapacity(Self.remembered)
  }

  /// The start of a record, up to its data.
  struct RecordHead {
    /// Nil for an invalid name.
    let name: DNSName?
    let type: DNSType
    let rrclass: UInt16
    let timeToLive: UInt32
    /// The offset of the end of the data.
    let end: Int
  }

  mutating func header() throws(DNSMessageError) -> Header {
    let header = try anyHeader()
    guard header.operationAndResponse == 0 else { throw .unknownOperation(flags: header.flags) }
    return header
  }

  /// Reads a header of any operation.
  mutating func anyHeader() throws(DNSMessageError) -> Header {
    let id = try word()
    let flags = try word()
    return Header(id: id, flags: flags, counts: [Int(try word()), Int(try word()), Int(try word()), Int(try word())])
  }

  mutating func questions(_ count: Int) throws(DNSMessageError) -> [DNSQuestion] {
    var questions: [DNSQuestion] = []
    for _ in 0..<count {
      let (name, type, qclass) = try anyQuestion()
      guard let name, qclass & 0x7FFF == 1 || qclass & 0x7FFF == 255 else { continue }
      questions.append(
        DNSQuestion(name, type, wantsUnicast: qclass & 0x8000 != 0, isOfAnyClass: qclass & 0x7FFF == 255))
    }
    return questions
  }

  /// Reads a question of any class, also with an invalid name.
  mutating func anyQuestion() throws(DNSMessageError) -> (name: DNSName?, type: DNSType, qclass: UInt16) {
    (try name(), DNSType(rawValue: try word()), try word())
  }

  mutating func records(_ count: Int) throws(DNSMessageError) -> [DNSRecord] {
    var records: [DNSRecord] = []
    records.reserveCapacity(min(count, (bytes.count - offset) / Self.shortestRecord))
    for _ in 0..<count {
      let head = try recordHead()
      guard let name = head.name, head.rrclass & 0x7FFF == 1, head.type != .opt else {
        offset = head.end
        continue
      }
      guard let data = data(of: head) else { continue }
      // RFC 2181 §8: a time to live with its top bit set counts as zero.
      let seconds = head.timeToLive > UInt32(Int32.max) ? 0 : head.timeToLive
      records.append(DNSRecord(name, data, timeToLive: seconds, cacheFlush: head.rrclass & 0x8000 != 0))
    }
    return records
  }

  /// Reads a record up to its data.
  mutating func recordHead() throws(DNSMessageError) -> RecordHead {
    let start = offset
    let name = try self.name()
    let type = DNSType(rawValue: try word())
    let rrclass = try word()
    let timeToLive = UInt32(try word()) << 16 | UInt32(try word())
    let length = Int(try word())
    guard length <= bytes.count - offset else { throw .truncated(offset: start) }
    return RecordHead(name: name, type: type, rrclass: rrclass, timeToLive: timeToLive, end: offset + length)
  }

  mutating func word() throws(DNSMessageError) -> UInt16 {
    guard offset + 2 <= bytes.count else { throw .truncated(offset: offset) }
    defer { offset += 2 }
    return UInt16(bytes[offset]) << 8 | UInt16(bytes[offset + 1])
  }

  /// Reads a name and moves past it; nil for an invalid name.
  mutating func name() throws(DNSMessageError) -> DNSName? {
    let start = offset
    // Most names of records are only a pointer to a recent name.
    if start + 2 <= bytes.count, bytes[start] >= 0xC0 {
      if let known = recentName(at: Int(bytes[start] & 0x3F) << 8 | Int(bytes[start + 1])) {
        offset += 2
        return known
      }
    }
    offset = try end(ofNameAt: start)
    guard let name = name(at: start) else { return nil }
    remember(name, at: start)
    return name
  }

  private func recentName(at target: Int) -> DNSName? {
    for (offset, name) in names where offset == target { return name }
    return nil
  }

  private mutating func remember(_ name: DNSName, at start: Int) {
    // If the name is only a pointer, store it under the pointer's target, which later pointers use too.
    let place = bytes[start] >= 0xC0 ? Int(bytes[start] & 0x3F) << 8 | Int(bytes[start + 1]) : start
    if names.count < Self.remembered {
      names.append((place, name))
    } else {
      names[nextName] = (place, name)
      nextName = (nextName + 1) % Self.remembered
    }
  }

  private func end(ofNameAt start: Int) throws(DNSMessageError) -> Int {
    var position = start
    while position < bytes.count {
      switch Int(bytes[position]) {
      case 0: return position + 1
      case let length where length < 64: position += 1 + length
      case 0xC0... where position + 1 < bytes.count: return position + 2
      case 0xC0...: throw .truncated(offset: start)
      default: throw .badLabel(offset: start)
      }
    }
    throw .truncated(offset: start)
  }

  /// The name at an offset; nil if it has an invalid pointer or label, is too long, or is not UTF-8.
  private mutating func name(at start: Int) -> DNSName? {
    var wire: [UInt8] = []
    var position = start
    var run = start  // start of the bytes not yet copied
    var floor = start  // pointers must point before this
    var pointers = 0
    while position < bytes.count {
      let length = Int(bytes[position])
      switch length {
      case 0:
        wire.append(contentsOf: bytes[run...position])
        guard wire.count <= DNSName.maximumBytes, Self.isText(wire) else { return nil }
        return DNSName(checkedWire: wire)
      case 1..<64:
        position += 1 + length
        guard wire.count + position - run < DNSName.maximumBytes else { return nil }
      case 0xC0...:
        guard position + 1 < bytes.count else { return nil }
        let target = (length & 0x3F) << 8 | Int(bytes[position + 1])
        guard target < floor, mayFollow(pointer: &pointers) else { return nil }
        // Most names of data end with a recent name.
        if let known = recentName(at: target)?.wire {
          wire.reserveCapacity(wire.count + position - run + known.count)
          wire.append(contentsOf: bytes[run..<position])
          wire.append(contentsOf: known)
          return wire.count <= DNSName.maximumBytes && Self.isText(wire) ? DNSName(checkedWire: wire) : nil
        }
        if wire.isEmpty { wire.reserveCapacity(64) }
        wire.append(contentsOf: bytes[run..<position])
        floor = target
        position = target
        run = target
      default:
        return nil
      }
    }
    return nil
  }

  private mutating func mayFollow(pointer count: inout Int) -> Bool {
    count += 1
    guard count > Self.pointersPerName else { return true }
    morePointersLeft -= 1
    return morePointersLeft >= 0
  }

  /// Whether every label is UTF-8.
  private static func isText(_ wire: [UInt8]) -> Bool {
    var all: UInt8 = 0
    for byte in wire { all |= byte }
    if all < 0x80 { return true }
    return DNSName(checkedWire: wire).labels.allSatisfy { String(validating: $0, as: UTF8.self) != nil }
  }
}
