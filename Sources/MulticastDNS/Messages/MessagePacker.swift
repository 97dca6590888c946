/// Puts questions and records into as few datagrams as they fit in, keeping together what belongs together.
struct MessagePacker {
  /// What a datagram may hold: an Ethernet frame without the IPv6 and UDP headers, and a little room (RFC 6762 §17).
  static let limit = 1440
  /// What a datagram may hold when it has to be sent in fragments.
  static let fragmentedLimit = 9000 - 48

  private let isResponse: Bool
  /// Tries what fits; its bytes are the message unless additional records stand between answers.
  private var writer = MessageWriter()
  private var message: DNSMessage
  private var packets: [[UInt8]] = []

  init(isResponse: Bool) {
    self.isResponse = isResponse
    message = DNSMessage(isResponse: isResponse)
  }

  /// Adds answers, all in one datagram, with as many additional records as still fit beside them.
  mutating func add(answers: [DNSRecord], additionals: [DNSRecord] = []) {
    func tryAdding(_ packer: inout MessagePacker) -> Bool {
      let mark = packer.writer.mark
      for record in answers { packer.writer.write(record, in: .answer) }
      for record in additionals { packer.writer.write(record, in: .additional) }
      guard packer.writer.bytes.count <= Self.limit else {
        packer.writer.goBack(to: mark)
        return false
      }
      packer.message.answers += answers
      packer.message.additionals += additionals
      return true
    }
    if tryAdding(&self) { return }
    endPacket()
    if tryAdding(&self) { return }
    // Not even alone: each answer for itself, without company.
    for record in answers { addAlone(record) }
    for record in additionals { addIfItFits(record) }
  }

  /// Adds a question, and what is proposed to answer it, to the same datagram (RFC 6762 §8.2).
  mutating func add(_ question: DNSQuestion, proposing records: [DNSRecord]) {
    let mark = writer.mark
    write(question, records)
    if writer.bytes.count > Self.limit, mark.isNotEmpty {
      writer.goBack(to: mark)
      endPacket()
      write(question, records)
    }
    message.questions.append(question)
    message.authorities += records
  }

  /// Adds a question and the answers that are known already; these may take further datagrams (RFC 6762 §7.1, §7.2).
  mutating func add(_ question: DNSQuestion, knowing records: [DNSRecord]) {
    let mark = writer.mark
    writer.write(question)
    for record in records where writer.bytes.count <= Self.limit { writer.write(record, in: .answer) }
    if writer.bytes.count <= Self.limit {
      message.questions.append(question)
      message.answers += records
      return
    }
    writer.goBack(to: mark)
    endPacket()
    writer.write(question)
    message.questions.append(question)
    var isChain = false
    for record in records {
      let mark = writer.mark
      writer.write(record, in: .answer)
      if writer.bytes.count > Self.limit, mark.isNotEmpty {
        writer.goBack(to: mark)
        endPacket(isTruncated: true)
        isChain = true
        writer.write(record, in: .answer)
      }
      message.answers.append(record)
    }
    // What follows a chain must not be taken for a part of it.
    if isChain { endPacket() }
  }

  /// The datagrams.
  consuming func finished() -> [[UInt8]] {
    endPacket()
    return packets
  }

  private mutating func write(_ question: DNSQuestion, _ records: [DNSRecord]) {
    writer.write(question)
    for record in records { writer.write(record, in: .authority) }
  }

  private mutating func addAlone(_ record: DNSRecord) {
    let mark = writer.mark
    writer.write(record, in: .answer)
    if writer.bytes.count > Self.limit, mark.isNotEmpty {
      writer.goBack(to: mark)
      endPacket()
      writer.write(record, in: .answer)
    }
    // RFC 6762 §17: nothing can be sent that is longer.
    guard writer.bytes.count <= Self.fragmentedLimit else {
      writer = MessageWriter()
      return
    }
    message.answers.append(record)
    if writer.bytes.count > Self.limit { endPacket() }
  }

  private mutating func addIfItFits(_ record: DNSRecord) {
    let mark = writer.mark
    writer.write(record, in: .additional)
    if writer.bytes.count > Self.limit || !mark.isNotEmpty {
      writer.goBack(to: mark)
    } else {
      message.additionals.append(record)
    }
  }

  private mutating func endPacket(isTruncated: Bool = false) {
    guard !writer.isEmpty else { return }
    message.isTruncated = isTruncated
    let sections = [
      message.questions.isEmpty, message.answers.isEmpty, message.authorities.isEmpty, message.additionals.isEmpty,
    ]
    if sections.filter({ !$0 }).count > 1 {
      packets.append(message.written())
    } else {
      packets.append(writer.finished(isResponse: isResponse, isTruncated: isTruncated))
    }
    writer = MessageWriter()
    message = DNSMessage(isResponse: isResponse)
  }
}

extension MessageWriter.Mark {
  /// Whether anything was written.
  var isNotEmpty: Bool { bytes > 12 }
}
