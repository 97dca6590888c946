/// A datagram taken apart for people: all of its questions and records in order, also those that ``DNSMessage`` skips, up to the
/// place where it cannot be read any more.
package struct DissectedMessage: Hashable, Sendable {
  package enum Section: Int, CaseIterable, Sendable {
    case question, answer, authority, additional
  }

  /// A question or a record.
  package struct Element: Hashable, Sendable {
    package let section: Section
    /// Nil for an invalid name: one with a wrong pointer, or that is too long or not UTF-8.
    package let name: DNSName?
    package let type: DNSType
    /// The class, without the top bit.
    package let classNumber: UInt16
    /// The top bit of the class: the asker accepts a unicast answer (RFC 6762 §5.4), or the record's set has a single owner
    /// (§10.2).
    package let hasTopBit: Bool
    /// Nil for a question.
    package let record: Record?
  }

  /// What a record has besides a question.
  package struct Record: Hashable, Sendable {
    /// The time to live in seconds, as it was sent.
    package let timeToLive: UInt32
    /// Nil for data that do not have the form of the type.
    package let data: DNSData?
    /// The data as they were sent.
    package let bytes: [UInt8]
  }

  package let id: UInt16
  /// The second word of the header: what kind of message it is.
  package let flags: UInt16
  package let elements: [Element]
  /// The number of bytes after the last element.
  package let excess: Int
  /// Why responders and queriers ignore the whole message; nil if they do not.
  package let fault: DNSMessageError?

  package var isResponse: Bool { flags & 0x8000 != 0 }

  /// Takes a datagram apart. Work and memory are bounded by its size.
  package init(_ bytes: [UInt8]) {
    var elements: [Element] = []
    var header = MessageReader.Header(id: 0, flags: 0, counts: [])
    var excess = 0
    var fault: DNSMessageError?
    do throws(DNSMessageError) {
      var reader = try MessageReader(bytes)
      header = try reader.anyHeader()
      for section in Section.allCases {
        for _ in 0..<header.counts[section.rawValue] { elements.append(try reader.element(in: section)) }
      }
      excess = bytes.count - reader.offset
      if header.operationAndResponse != 0 { fault = .unknownOperation(flags: header.flags) }
    } catch {
      fault = error
    }
    (id, flags, self.elements, self.excess, self.fault) = (header.id, header.flags, elements, excess, fault)
  }
}

extension MessageReader {
  fileprivate mutating func element(in section: DissectedMessage.Section) throws(DNSMessageError) -> DissectedMessage.Element {
    if section == .question {
      let (name, type, qclass) = try anyQuestion()
      return DissectedMessage.Element(
        section: section, name: name, type: type, classNumber: qclass & 0x7FFF, hasTopBit: qclass & 0x8000 != 0, record: nil)
    }
    let head = try recordHead()
    let bytes = Array(self.bytes[offset..<head.end])
    let record = DissectedMessage.Record(timeToLive: head.timeToLive, data: data(of: head), bytes: bytes)
    return DissectedMessage.Element(
      section: section, name: head.name, type: head.type, classNumber: head.rrclass & 0x7FFF,
      hasTopBit: head.rrclass & 0x8000 != 0, record: record)
  }
}
