import Bonjourish
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// A datagram for people to read, in lines of bounded length and number, whatever it holds.
struct ShownDatagram {
  /// The largest number of questions and records that are shown of one datagram.
  static let mostElements = 128
  /// The number of bytes of lines after which further elements are only counted.
  private static let mostBytes = 16_384
  /// The largest number of bytes of data that are shown of a record, and of a place where a message cannot be read.
  static let mostDataBytes = 256
  static let mostFaultBytes = 32

  let datagram: GroupDatagram
  let message: DissectedMessage
  let time: WallTime

  init(_ datagram: GroupDatagram, _ message: DissectedMessage, at time: WallTime) {
    self.datagram = datagram
    self.message = message
    self.time = time
  }

  /// The first line is about the datagram, each further one about a question, a record or what is wrong.
  var lines: [String] {
    var lines = [head]
    var bytes = 0
    for (index, element) in message.elements.enumerated() {
      guard index < Self.mostElements, bytes < Self.mostBytes else {
        lines.append("  (\(message.elements.count - index) more)")
        break
      }
      let line = "  \(element.section) \(line(of: element))"
      bytes += line.utf8.count
      lines.append(line)
    }
    if message.excess > 0 { lines.append("  (\(message.excess) bytes after the end)") }
    if let fault = message.fault { lines.append("  \(line(of: fault))") }
    return lines
  }

  private var head: String {
    let address = Line.word(datagram.source.description)
    let source = datagram.source.family == .ipv4 ? "\(address):\(datagram.port)" : "[\(address)]:\(datagram.port)"
    let kind = ([message.isResponse ? "response" : "query"] + flags).joined(separator: " ")
    let id = message.id == 0 ? "" : ", id \(message.id)"
    return "\(time.timeOfDay) \(Line.word(datagram.interface.name)) \(datagram.isOwn ? ">" : "<") \(source) \(kind)\(id), "
      + "\(datagram.bytes.count) bytes"
  }

  /// The flags of the header that are set (RFC 1035 §4.1.1, RFC 4035 §3), and the codes that are not zero.
  var flags: [String] {
    let names: [(UInt16, String)] = [
      (0x0400, "AA"), (0x0200, "TC"), (0x0100, "RD"), (0x0080, "RA"), (0x0040, "Z"), (0x0020, "AD"), (0x0010, "CD"),
    ]
    var flags = names.filter { message.flags & $0.0 != 0 }.map(\.1)
    let (operation, response) = (message.flags >> 11 & 15, message.flags & 15)
    if operation != 0 { flags.append("opcode=\(operation)") }
    if response != 0 { flags.append("rcode=\(response)") }
    return flags
  }

  private func line(of element: DissectedMessage.Element) -> String {
    let name = element.name.map(Self.word) ?? "(invalid name)"
    let type = RecordType(rawValue: element.type.rawValue)
    guard let record = element.record else {
      return "\(name) \(Self.className(element)) \(type) \(element.hasTopBit ? "QU" : "QM")"
    }
    if element.type == .opt {
      // RFC 6891 §6.1.2: the class is the largest datagram that the sender takes.
      let size = element.classNumber | (element.hasTopBit ? 0x8000 : 0)
      return "\(name) OPT \(size) bytes \(Line.hexadecimal(record.bytes, atMost: Self.mostDataBytes))"
    }
    let className = Self.className(element) + (element.hasTopBit ? "/unique" : "")
    return "\(name) \(record.timeToLive) \(className) \(type) \(data(of: element, record))"
  }

  private static func word(_ name: DNSName) -> String {
    name == .root ? "." : "\(Line.word(name.description))."
  }

  private static func className(_ element: DissectedMessage.Element) -> String {
    switch element.classNumber {
    case 1: "IN"
    case 255: "ANY"
    default: "CLASS\(element.classNumber)"
    }
  }

  /// The data as in a zone file; those that do not have the form of their type as hexadecimal digits.
  func data(of element: DissectedMessage.Element, _ record: DissectedMessage.Record) -> String {
    guard element.classNumber == 1, let data = record.data else {
      let digits = Line.hexadecimal(record.bytes, atMost: Self.mostDataBytes)
      return element.classNumber == 1 ? "(invalid data) \(digits)" : digits
    }
    let bytes = data.uncompressed
    let type = RecordType(rawValue: element.type.rawValue)
    return Line.data(RecordData(type, bytes, seenOn: datagram.interface), bytes, atMost: Self.mostDataBytes)
  }

  /// Why others ignore the datagram, and the bytes where it begins to be wrong.
  private func line(of fault: DNSMessageError) -> String {
    let isMalformed = if case .unknownOperation = fault { false } else { true }
    let reason = "\(isMalformed ? "malformed" : "ignored"): \(fault)"
    return faultBytes.isEmpty ? reason : "\(reason): \(Line.hexadecimal(faultBytes, atMost: Self.mostFaultBytes))"
  }

  /// The bytes from the place where a malformed datagram cannot be read.
  var faultBytes: [UInt8] {
    switch message.fault {
    case .truncated(let offset), .badLabel(let offset): Array(datagram.bytes.dropFirst(offset).prefix(Self.mostFaultBytes))
    case .tooLong: Array(datagram.bytes.prefix(Self.mostFaultBytes))
    case .unknownOperation, nil: []
    }
  }
}
