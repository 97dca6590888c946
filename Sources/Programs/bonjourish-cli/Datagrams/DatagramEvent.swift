import Bonjourish
import FoundationEssentials
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// A line of `query --raw --json`: one datagram.
struct DatagramEvent: Encodable {
  private let shown: ShownDatagram

  private enum Key: CodingKey {
    case event, time, interface, family, source, port, own, size, kind, id, flags, questions, answers, authorities, additionals
    case omitted, excess, fault
  }

  init(_ shown: ShownDatagram) {
    self.shown = shown
  }

  func encode(to encoder: any Encoder) throws {
    let (datagram, message) = (shown.datagram, shown.message)
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode("datagram", forKey: .event)
    try fields.encode(shown.time.timestamp, forKey: .time)
    try fields.encode(datagram.interface.name, forKey: .interface)
    try fields.encode("\(datagram.source.family)", forKey: .family)
    try fields.encode(datagram.source.description, forKey: .source)
    try fields.encode(datagram.port, forKey: .port)
    try fields.encode(datagram.isOwn, forKey: .own)
    try fields.encode(datagram.bytes.count, forKey: .size)
    try fields.encode(message.isResponse ? "response" : "query", forKey: .kind)
    try fields.encode(message.id, forKey: .id)
    try fields.encode(shown.flags, forKey: .flags)
    let elements = message.elements.prefix(ShownDatagram.mostElements)
    for (section, key) in [(DissectedMessage.Section.question, Key.questions)] + Self.sections {
      try fields.encode(elements.filter { $0.section == section }.map { Element(shown, $0) }, forKey: key)
    }
    if message.elements.count > elements.count {
      try fields.encode(message.elements.count - elements.count, forKey: .omitted)
    }
    if message.excess > 0 { try fields.encode(message.excess, forKey: .excess) }
    if let fault = message.fault {
      let bytes = Data(shown.faultBytes).base64EncodedString()
      try fields.encode(Fault(reason: "\(fault)", offset: fault.offset, base64: bytes), forKey: .fault)
    }
  }

  private static let sections: [(DissectedMessage.Section, Key)] = [
    (.answer, .answers), (.authority, .authorities), (.additional, .additionals),
  ]

  private struct Fault: Encodable {
    let reason: String
    let offset: Int?
    let base64: String
  }

  /// A question or a record. An invalid name is missing.
  private struct Element: Encodable {
    let shown: ShownDatagram
    let element: DissectedMessage.Element

    enum Key: String, CodingKey {
      case name, type, number = "class", unicast, ttl, unique, data, base64, valid
    }

    init(_ shown: ShownDatagram, _ element: DissectedMessage.Element) {
      self.shown = shown
      self.element = element
    }

    func encode(to encoder: any Encoder) throws {
      var fields = encoder.container(keyedBy: Key.self)
      try fields.encodeIfPresent(element.name?.description, forKey: .name)
      try fields.encode(RecordType(rawValue: element.type.rawValue).description, forKey: .type)
      try fields.encode(element.classNumber, forKey: .number)
      guard let record = element.record else { return try fields.encode(element.hasTopBit, forKey: .unicast) }
      try fields.encode(record.timeToLive, forKey: .ttl)
      try fields.encode(element.hasTopBit, forKey: .unique)
      try fields.encode(shown.data(of: element, record), forKey: .data)
      try fields.encode(Data(record.data?.uncompressed ?? record.bytes).base64EncodedString(), forKey: .base64)
      try fields.encode(element.name != nil && record.data != nil, forKey: .valid)
    }
  }
}
