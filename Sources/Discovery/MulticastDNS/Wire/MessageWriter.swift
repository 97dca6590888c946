import _BonjourishDiscovery

/// Writes a message from start to end, with compressed names (RFC 1035 §4.1.4, RFC 6762 §18.14).
struct MessageWriter {
  enum Section: Int {
    case answer = 1
    case authority
    case additional
  }

  /// A saved state of a writer.
  struct Mark {
    let bytes: Int
    fileprivate let labels: Int
    fileprivate let counts: [UInt16]
  }

  /// A written label. Its parent is the label that follows it in its name.
  private struct Label {
    let offset: Int
    let parent: Int
    let bucket: Int
    /// The label written before it in the same bucket.
    let previous: Int
  }

  private static let root = -1
  private static let buckets = 128

  private(set) var bytes = [UInt8](repeating: 0, count: 12)
  private var counts: [UInt16] = [0, 0, 0, 0]
  private var labels: [Label] = []
  private var heads = [Int](repeating: MessageWriter.root, count: MessageWriter.buckets)
  /// Whether the name in an SRV record is compressed. Legacy resolvers do not understand that.
  private let compressesServices: Bool

  init(compressingServices: Bool = true) {
    compressesServices = compressingServices
    bytes.reserveCapacity(1500)
  }

  var isEmpty: Bool { bytes.count == 12 }

  var mark: Mark { Mark(bytes: bytes.count, labels: labels.count, counts: counts) }

  /// Removes everything written since a mark.
  mutating func goBack(to mark: Mark) {
    bytes.removeLast(bytes.count - mark.bytes)
    while labels.count > mark.labels {
      let label = labels.removeLast()
      heads[label.bucket] = label.previous
    }
    counts = mark.counts
  }

  mutating func write(_ question: DNSQuestion) {
    counts[0] += 1
    write(question.name)
    write(word: question.type.rawValue)
    write(word: (question.isOfAnyClass ? 255 : 1) | (question.wantsUnicast ? 0x8000 : 0))
  }

  mutating func write(_ record: DNSRecord, in section: Section) {
    counts[section.rawValue] += 1
    write(record.name)
    write(word: record.type.rawValue)
    write(word: record.cacheFlush ? 0x8001 : 1)
    write(word: UInt16(truncatingIfNeeded: record.timeToLive >> 16))
    write(word: UInt16(truncatingIfNeeded: record.timeToLive))
    let start = bytes.count
    write(word: 0)
    write(record.data)
    let length = bytes.count - start - 2
    bytes[start] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[start + 1] = UInt8(truncatingIfNeeded: length)
  }

  /// Returns the message with its header.
  consuming func finished(id: UInt16 = 0, isResponse: Bool, isTruncated: Bool = false) -> [UInt8] {
    let flags: UInt16 = (isResponse ? 0x8400 : 0) | (isTruncated ? 0x0200 : 0)
    for (index, word) in ([id, flags] + counts).enumerated() {
      bytes[2 * index] = UInt8(truncatingIfNeeded: word >> 8)
      bytes[2 * index + 1] = UInt8(truncatingIfNeeded: word)
    }
    return bytes
  }

  private mutating func write(_ data: DNSData) {
    switch data {
    case .address(let address):
      bytes.append(contentsOf: address.bytes)
    case .ptr(let name), .cname(let name):
      write(name)
    case .srv(let service):
      write(word: service.priority)
      write(word: service.weight)
      write(word: service.port)
      if compressesServices { write(service.target) } else { bytes.append(contentsOf: service.target.wire) }
    case .txt(let strings), .other(_, let strings):
      bytes.append(contentsOf: strings)
    case .nsec(let next, let types):
      write(next)
      write(types)
    case .hinfo(let cpu, let system):
      for string in [cpu, system] {
        bytes.append(UInt8(truncatingIfNeeded: string.count))
        bytes.append(contentsOf: string)
      }
    }
  }

  private mutating func write(_ types: DNSTypeSet) {
    let bitmap = types.bitmap.isEmpty ? [0] : types.bitmap
    bytes.append(0)
    bytes.append(UInt8(bitmap.count))
    bytes.append(contentsOf: bitmap)
  }

  private mutating func write(word: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: word >> 8))
    bytes.append(UInt8(truncatingIfNeeded: word))
  }

  /// Writes a name: replaces the longest end of it that was written before by a pointer.
  private mutating func write(_ name: DNSName) {
    let wire = name.wire
    var starts: [Int] = []
    var start = 0
    while wire[start] != 0 {
      starts.append(start)
      start += 1 + Int(wire[start])
    }
    // Search from the last label to the first. A label that was not written under its parent has no written labels under it.
    var parent = Self.root
    var unwritten = starts.count
    while unwritten > 0, let known = find(wire, at: starts[unwritten - 1], below: parent) {
      parent = known
      unwritten -= 1
    }
    let base = bytes.count
    bytes.append(contentsOf: wire[..<(unwritten < starts.count ? starts[unwritten] : start)])
    if parent == Self.root {
      bytes.append(0)
    } else {
      write(word: 0xC000 | UInt16(labels[parent].offset))
    }
    for index in (0..<unwritten).reversed() {
      // A pointer has 14 bits, so later labels cannot be pointed to.
      guard base + starts[index] < 0x4000 else { break }
      let bucket = Self.bucket(wire, at: starts[index], below: parent)
      labels.append(Label(offset: base + starts[index], parent: parent, bucket: bucket, previous: heads[bucket]))
      heads[bucket] = labels.count - 1
      parent = labels.count - 1
    }
  }

  private func find(_ wire: [UInt8], at start: Int, below parent: Int) -> Int? {
    let count = 1 + Int(wire[start])
    var candidate = heads[Self.bucket(wire, at: start, below: parent)]
    while candidate != Self.root {
      let label = labels[candidate]
      if label.parent == parent, (0..<count).allSatisfy({ bytes[label.offset + $0] == wire[start + $0] }) { return candidate }
      candidate = label.previous
    }
    return nil
  }

  private static func bucket(_ wire: [UInt8], at start: Int, below parent: Int) -> Int {
    var hash = UInt32(truncatingIfNeeded: parent) &* 0x9E37_79B9
    for index in start...(start + Int(wire[start])) { hash = (hash ^ UInt32(wire[index])) &* 0x0100_0193 }
    return Int((hash ^ hash >> 15) % UInt32(buckets))
  }
}
