/// Packs questions and records into few datagrams, and keeps records that belong together in one datagram.
struct MessagePacker {
  /// The longest datagram in bytes, where the interface does not require a shorter one: an Ethernet frame minus the IPv6 and UDP
  /// headers and a margin (RFC 6762 §17).
  static let longestLimit = limit(mtu: 1500)
  /// The longest datagram in bytes that every host accepts (RFC 1035 §4.2.1).
  private static let shortestLimit = 512
  /// The longest datagram that is sent in fragments, in bytes.
  static let fragmentedLimit = 9000 - 48

  private let isResponse: Bool
  /// The longest datagram in bytes that is not sent in fragments.
  private let limit: Int
  /// Measures what fits. Its bytes are the datagram if the message has one section; `message` is written anew otherwise.
  private var writer = MessageWriter()
  private var message: DNSMessage
  /// Whether the questions of the datagram have names that old versions of Avahi cannot read. They would drop the others with them.
  private var isTooLongForAvahi = false
  private var packets: [[UInt8]] = []

  init(isResponse: Bool, limit: Int) {
    self.isResponse = isResponse
    self.limit = limit
    message = DNSMessage(isResponse: isResponse)
  }

  /// The longest datagram for an interface with an MTU in bytes. No longer than in an Ethernet frame where the MTU is larger,
  /// because other hosts on the link may not receive such frames.
  static func limit(mtu: Int) -> Int { max(shortestLimit, min(mtu, 1500) - 60) }

  /// Adds answers and additional records to one datagram. If they do not fit into one, each answer is added separately, and
  /// additional records only where they fit.
  mutating func add(answers: [DNSRecord], additionals: [DNSRecord] = []) {
    func tryAdding(_ packer: inout MessagePacker) -> Bool {
      let mark = packer.writer.mark
      for record in answers { packer.writer.write(record, in: .answer) }
      for record in additionals { packer.writer.write(record, in: .additional) }
      guard packer.writer.bytes.count <= packer.limit else {
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
    // Too long even for a separate datagram: add each answer separately.
    for record in answers { addAlone(record) }
    for record in additionals { addIfItFits(record) }
  }

  /// Adds a question and the proposed answers to the same datagram (RFC 6762 §8.2).
  mutating func add(_ question: DNSQuestion, proposing records: [DNSRecord]) {
    separate(question)
    let mark = writer.mark
    write(question, records)
    if writer.bytes.count > limit, mark.isNotEmpty {
      writer.goBack(to: mark)
      endPacket()
      write(question, records)
    }
    message.questions.append(question)
    message.authorities += records
  }

  /// Adds a question and its known answers, which may need further datagrams (RFC 6762 §7.1, §7.2).
  mutating func add(_ question: DNSQuestion, knowing records: [DNSRecord]) {
    separate(question)
    let mark = writer.mark
    writer.write(question)
    for record in records where writer.bytes.count <= limit { writer.write(record, in: .answer) }
    if writer.bytes.count <= limit {
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
      if writer.bytes.count > limit, mark.isNotEmpty {
        writer.goBack(to: mark)
        endPacket(isTruncated: true)
        isChain = true
        writer.write(record, in: .answer)
      }
      message.answers.append(record)
    }
    // The next question must not look like a part of the chain.
    if isChain { endPacket() }
  }

  /// Returns the datagrams.
  consuming func finished() -> [[UInt8]] {
    endPacket()
    return packets
  }

  /// Ends the datagram if its questions and the next one must not go together.
  private mutating func separate(_ question: DNSQuestion) {
    guard question.name.isTooLongForAvahi != isTooLongForAvahi else { return }
    endPacket()
    isTooLongForAvahi.toggle()
  }

  private mutating func write(_ question: DNSQuestion, _ records: [DNSRecord]) {
    writer.write(question)
    for record in records { writer.write(record, in: .authority) }
  }

  private mutating func addAlone(_ record: DNSRecord) {
    let mark = writer.mark
    writer.write(record, in: .answer)
    if writer.bytes.count > limit, mark.isNotEmpty {
      writer.goBack(to: mark)
      endPacket()
      writer.write(record, in: .answer)
    }
    // RFC 6762 §17: a longer datagram cannot be sent.
    guard writer.bytes.count <= Self.fragmentedLimit else {
      writer = MessageWriter()
      return
    }
    message.answers.append(record)
    if writer.bytes.count > limit { endPacket() }
  }

  private mutating func addIfItFits(_ record: DNSRecord) {
    let mark = writer.mark
    writer.write(record, in: .additional)
    if writer.bytes.count > limit || !mark.isNotEmpty {
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
