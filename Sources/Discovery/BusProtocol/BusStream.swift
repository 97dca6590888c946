/// Takes messages from the bytes of a connection.
package struct BusStream: Sendable {
  /// The bytes are not D-Bus: the connection is of no more use.
  package struct Malformed: Error, Hashable {}

  private var bytes: [UInt8] = []
  private var start = 0
  /// The number of bytes to skip, of a message that is too long.
  private var skipped = 0

  /// The longest message that D-Bus allows, in bytes, and the longest header that is read.
  private static let (longest, longestHeader) = (134_217_728, 65_536)

  package init() {}

  /// The number of received bytes that are not taken yet. It stays below twice ``BusMessage/maximumBytes`` when messages are taken
  /// after each ``append(_:)`` of no more than that.
  package var count: Int { bytes.count - start }

  package mutating func append(_ more: some Sequence<UInt8>) {
    if start > 0 {
      bytes.removeFirst(start)
      start = 0
    }
    bytes += more
  }

  /// Takes the next message; nil when more bytes are needed. One that is too long is skipped, and returned without its body.
  package mutating func next() throws(Malformed) -> BusMessage? {
    while true {
      if skipped > 0 {
        let count = min(skipped, count)
        start += count
        skipped -= count
        if skipped > 0 { return nil }
      }
      guard count >= 16 else { return nil }
      let here = bytes[start...]
      guard here.first == UInt8(ascii: "l") || here.first == UInt8(ascii: "B"), here[start + 3] == 1 else { throw Malformed() }
      let isLittle = here.first == UInt8(ascii: "l")
      func word(_ offset: Int) -> Int {
        let four = here[(start + offset)..<(start + offset + 4)]
        return isLittle ? four.reversed().reduce(0) { $0 << 8 | Int($1) } : four.reduce(0) { $0 << 8 | Int($1) }
      }
      let header = (16 + word(12) + 7) / 8 * 8
      let end = header + word(4)
      guard end <= Self.longest else { throw Malformed() }
      let isTooLong = end > BusMessage.maximumBytes
      if isTooLong, header > Self.longestHeader {
        skipped = end
        continue
      }
      guard count >= (isTooLong ? header : end) else { return nil }
      let message = BusMessage(
        header: here[start..<(start + 16 + word(12))], body: isTooLong ? nil : here[(start + header)..<(start + end)],
        serial: UInt32(word(8)), isLittle: isLittle)
      if isTooLong { skipped = end } else { start += end }
      // Kinds that will be invented are to be ignored. A header that a stricter bus would not have passed on is no reason to end the
      // connection: any program could write it.
      if let message { return message }
    }
  }
}

extension BusMessage {
  /// - Returns: Nil for a kind that is not known, or a header that cannot be read.
  fileprivate init?(header: ArraySlice<UInt8>, body content: ArraySlice<UInt8>?, serial: UInt32, isLittle: Bool) {
    guard let kind = Kind(rawValue: header[header.startIndex + 1]) else { return nil }
    self.init(kind)
    wantsNoAnswer = header[header.startIndex + 2] & 1 != 0
    self.serial = serial
    var reader = BusReader(header, isLittle: isLittle, at: 12)
    guard case .array(_, let fields)? = reader.value(.array(.structure([.basic(UInt8(ascii: "y")), .variant]))) else {
      return nil
    }
    var signature = ""
    for case .structure(let field) in fields {
      guard case .byte(let code) = field[0], case .variant(let value) = field[1] else { continue }
      switch (code, value) {
      case (1, .path(let path)): self.path = path
      case (2, .text(let name)): interface = name
      case (3, .text(let name)): member = name
      case (4, .text(let name)): errorName = name
      case (5, .uint32(let number)): answers = number
      case (6, .text(let name)): destination = name
      case (7, .text(let name)): sender = name
      case (8, .signature(let text)): signature = text
      default: break
      }
    }
    body = content.flatMap { Self.values(signature, in: $0, isLittle: isLittle) }
  }

  private static func values(_ signature: String, in content: ArraySlice<UInt8>, isLittle: Bool) -> [BusValue]? {
    guard let types = BusType.all(in: signature) else { return nil }
    var reader = BusReader(content, isLittle: isLittle)
    var values: [BusValue] = []
    for type in types {
      guard let value = reader.value(type) else { return nil }
      values.append(value)
    }
    return reader.isAtEnd ? values : nil
  }
}
