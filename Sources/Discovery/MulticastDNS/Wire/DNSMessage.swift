/// A query or a response (RFC 1035 §4.1, RFC 6762 §18).
package struct DNSMessage: Hashable, Sendable {
  /// The longest message in bytes: 9,000 minus the smallest IP and UDP headers (RFC 6762 §17).
  package static let maximumBytes = 9000 - 28

  /// The ID, which is zero except with legacy resolvers (RFC 6762 §18.1).
  package var id: UInt16 = 0
  package var isResponse: Bool
  /// Whether more known answers follow in another message (RFC 6762 §7.2).
  package var isTruncated = false
  package var questions: [DNSQuestion] = []
  package var answers: [DNSRecord] = []
  package var authorities: [DNSRecord] = []
  package var additionals: [DNSRecord] = []

  package init(isResponse: Bool) {
    self.isResponse = isResponse
  }

  /// Reads a datagram.
  ///
  /// Skips pseudo records, records of other classes than IN, questions of other classes than IN and ANY, and questions and records
  /// with an invalid name or invalid data.
  ///
  /// - Throws: ``DNSMessageError``. Then no part of the message may be used.
  package init(parsing bytes: [UInt8]) throws(DNSMessageError) {
    var reader = try MessageReader(bytes)
    let header = try reader.header()
    self.init(isResponse: header.isResponse)
    id = header.id
    isTruncated = header.isTruncated
    questions = try reader.questions(header.counts[0])
    answers = try reader.records(header.counts[1])
    authorities = try reader.records(header.counts[2])
    additionals = try reader.records(header.counts[3])
  }

  /// Returns the message as a datagram, whatever its length.
  package func written() -> [UInt8] {
    var writer = MessageWriter()
    for question in questions { writer.write(question) }
    for record in answers { writer.write(record, in: .answer) }
    for record in authorities { writer.write(record, in: .authority) }
    for record in additionals { writer.write(record, in: .additional) }
    return writer.finished(id: id, isResponse: isResponse, isTruncated: isTruncated)
  }
}
