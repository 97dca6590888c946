extension Responder {
  /// The longest time to live in answers to legacy resolvers, which do not follow changes, in seconds (RFC 6762 §6.7).
  private static let legacyTimeToLive: UInt32 = 10

  /// Answers a legacy resolver in one datagram, like a unicast DNS server (RFC 6762 §6.7).
  mutating func answerLegacy(_ message: DNSMessage, to asker: MulticastSource, _ step: inout Step) {
    // RFC 6762 §11: hosts outside the link get no answer.
    guard addresses.areOnLink(with: asker.address) else { return }
    let answers = message.questions.flatMap { zone.slots(of: $0.name, $0.type) }
    // An answer without records says that our name has no record of that type.
    guard !answers.isEmpty || message.questions.contains(where: { zone.names[$0.name]?.denial != nil }) else { return }
    var writer = MessageWriter(compressingServices: false)
    for question in message.questions { writer.write(DNSQuestion(question.name, question.type)) }
    var seen: Set<Int> = []
    var isTruncated = false
    for slot in answers where seen.insert(slot).inserted {
      if !write(slot, in: .answer, &writer) {
        isTruncated = true
        break
      }
    }
    if !isTruncated {
      for slot in additionals(to: answers) where !write(slot, in: .additional, &writer) { break }
    }
    let packet = writer.finished(id: message.id, isResponse: true, isTruncated: isTruncated)
    step.send([packet], on: link, to: .unicast(asker))
  }

  /// Writes a record if it fits.
  private func write(_ slot: Int, in section: MessageWriter.Section, _ writer: inout MessageWriter) -> Bool {
    let record = zone[slot].record
    let mark = writer.mark
    writer.write(DNSRecord(record.name, record.data, timeToLive: min(record.timeToLive, Self.legacyTimeToLive)), in: section)
    guard writer.bytes.count > packetLimit else { return true }
    writer.goBack(to: mark)
    return false
  }
}
