/// The query of a resolver that does not know multicast DNS (RFC 6762 §6.7).
struct LegacyQuery {
  /// The maximum number of questions. Resolvers ask one.
  static let maximumQuestions = 16
  /// The longest time to live in answers to those who do not follow changes, in seconds.
  private static let timeToLive: UInt32 = 10

  let id: UInt16
  let questions: [DNSQuestion]

  /// Makes a query from a message; nil when it has too many questions.
  init?(_ message: DNSMessage) {
    guard message.questions.count <= Self.maximumQuestions else { return nil }
    id = message.id
    // The first bit of the class is not a part of it (RFC 6762 §5.4).
    var seen: Set<DNSQuestion> = []
    questions = message.questions.map { DNSQuestion($0.name, $0.type, isOfAnyClass: $0.isOfAnyClass) }
      .filter { seen.insert($0).inserted }
  }

  /// The answer in one datagram, like that of a unicast DNS server: with the query's number and questions, short times to live, and
  /// names that every resolver can read. Without answers it says that there are none.
  ///
  /// - Parameters:
  ///   - additionals: What goes with the answers if all of them fit.
  ///   - limit: The longest datagram in bytes.
  /// - Returns: The datagram; nil when not even the questions fit.
  func answer(_ answers: [DNSRecord], _ additionals: [DNSRecord], limit: Int) -> [UInt8]? {
    var writer = MessageWriter(compressingServices: false)
    for question in questions { writer.write(question) }
    guard writer.bytes.count <= limit else { return nil }
    func writeIfItFits(_ record: DNSRecord, in section: MessageWriter.Section) -> Bool {
      let mark = writer.mark
      writer.write(DNSRecord(record.name, record.data, timeToLive: min(record.timeToLive, Self.timeToLive)), in: section)
      guard writer.bytes.count > limit else { return true }
      writer.goBack(to: mark)
      return false
    }
    let isWhole = answers.allSatisfy { writeIfItFits($0, in: .answer) }
    _ = isWhole && additionals.allSatisfy { writeIfItFits($0, in: .additional) }
    return writer.finished(id: id, isResponse: true, isTruncated: !isWhole)
  }
}
