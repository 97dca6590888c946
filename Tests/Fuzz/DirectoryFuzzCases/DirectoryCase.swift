package import FuzzCases
import _BonjourishBase
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// Bytes that a directory may hold or send: as a record, as an answer, as messages of a watch, and of a relayed connection.
///
/// The first byte says what they are; the rest is the text.
package enum DirectoryCase {
  private static let region = Region("world")!
  private static let bucket = Bucket("b")!

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard let kind = bytes.first else { return }
    let text = Array(bytes.dropFirst())
    if kind & 7 == 4 { return try RelayCase.run(text) }
    switch kind & 3 {
    case 0: try checkRecord(text)
    case 1: try checkJSON(text)
    case 2: checkAnswers(text)
    default: try checkWatch(text)
    }
  }

  /// A record that is read follows the rules, and is read again as it is written.
  private static func checkRecord(_ text: [UInt8]) throws(Violation) {
    // At its own place, whatever that is.
    guard let json = try? JSONReader.read(text), let name = json["name"]?.string.flatMap({ try? InstanceName($0) }),
      let type = json["type"]?.string.flatMap({ try? ServiceType($0) })
    else { return }
    let key = DirectoryKey(region: region, type: type, name: name)
    guard let record = try? DirectoryRecord(reading: text, at: key.text, in: region) else { return }
    try check(record)
    let again = try? DirectoryRecord(reading: record.bytes, at: key.text, in: region)
    try Violation.unless(again == record, "a record is not read as it was written")
    try Violation.unless(
      (try? DirectoryRecord(reading: text, at: key.text + "x", in: region)) == nil, "a record at the place of another")
  }

  private static func check(_ record: DirectoryRecord) throws(Violation) {
    try Violation.unless(record.port > 0, "port 0")
    try Violation.unless((1...63).contains(record.name.text.utf8.count), "a name of \(record.name.text.utf8.count) bytes")
    try Violation.unless(record.name.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character in a name")
    try Violation.unless(record.addresses.count <= DirectoryRecord.maximumAddressCount, "too many addresses")
    try Violation.unless(record.txt.data.count <= TXTRecord.maximumByteCount, "a TXT record that is too long")
    for address in record.addresses {
      try Violation.unless(
        !address.isLoopback && !address.isLinkLocal && address.zone == nil, "an address that leads to the reader itself")
    }
    let key = record.key(in: region).text
    let isKey = key.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 0x20) || "-/_=.".utf8.contains(byte)
    }
    try Violation.unless(isKey && key.utf8.count < 300, "a key that NATS does not permit")
    let question = RecordQuestion(.instance(ServiceInstance(record.name, type: record.type)), .any)
    for answer in record.answers(to: question, in: region) {
      if case .server(let host, _, _, _) = answer.data {
        try Violation.unless(
          DirectoryRecord.key(ofHost: host, in: region) == record.key(in: region), "a host that belongs to another")
      }
    }
  }

  /// What is read can be written, and is the same then.
  private static func checkJSON(_ text: [UInt8]) throws(Violation) {
    guard let value = try? JSONReader.read(text) else { return }
    let again = try? JSONReader.read(value.text)
    // Numbers with fractions have no value here.
    try Violation.unless(again == value || value.hasOtherNumbers, "JSON is not read as it was written")
  }

  /// Nothing of this may trap.
  private static func checkAnswers(_ text: [UInt8]) {
    let message = DirectoryMessage(
      reply: String(decoding: text, as: UTF8.self), headers: ["Nats-Sequence": String(decoding: text, as: UTF8.self)],
      data: text)
    _ = JetStreamAnswer(message)
    _ = Claim.Reading(DirectAnswer(message))
    _ = Ownership.Reading(DirectAnswer(message))
    _ = Delivery(message.reply)
    _ = ServerTime.read(message.reply)
  }

  /// A watch keeps its bounds, and reports what goes with what came.
  private static func checkWatch(_ text: [UInt8]) throws(Violation) {
    var limits = Watch.Limits()
    (limits.entries, limits.entriesInShard) = (8, 4)
    var watch = Watch(bucket, region: region, allowsLoopback: false, limits: limits)
    var now = ContinuousClock.now
    _ = watch.start(at: now)
    var number: UInt64 = 1
    var sequence: UInt64 = 1
    var shown: Set<DirectoryKey> = []
    for byte in text {
      var effects: [Watch.Effect]
      switch byte >> 5 {
      case 0:
        effects = watch.answered(
          number, .done(["num_pending": .integer(Int64(byte & 3)), "created": "2026-11-23T00:26:50Z"]), at: now)
      case 1:
        now += .seconds(Int(byte & 31))
        effects = watch.advance(to: now)
      case 2: effects = watch.received(DirectoryMessage(status: Int(byte & 31) * 50), number, at: now)
      case 3: effects = watch.disconnect(Claim.noAnswer, at: now) + watch.start(at: now)
      default:
        let record = DirectoryRecord(
          name: InstanceName(received: "n\(byte & 15)")!, type: "_a._tcp", port: 1, host: "h", addresses: [], txt: [:], owner: 1
        )
        let isGap = byte & 0x70 == 0x70
        let message = DirectoryMessage(
          subject: bucket.subject(record.key(in: region).text),
          reply: "$JS.ACK.KV_b.c.1.1.\(isGap ? sequence + 1 : sequence).1795393610000000000.\(byte & 1)",
          headers: byte & 0x40 == 0 ? [:] : ["KV-Operation": "DEL"], data: record.bytes)
        sequence += 1
        effects = watch.received(message, number, at: now)
      }
      for effect in effects {
        switch effect {
        case .list(let next): (number, sequence) = (next, 1)
        case .appeared(let record):
          try Violation.unless(shown.insert(record.key(in: region)).inserted, "what is there has appeared")
        case .vanished(let record):
          try Violation.unless(shown.remove(record.key(in: region)) != nil, "what is not there has vanished")
        case .changed(let former, _):
          try Violation.unless(shown.contains(former.key(in: region)), "what is not there has changed")
        case .read, .goOn, .settled, .full, .interrupted, .restored: continue
        }
      }
      try Violation.unless(watch.records.count == shown.count && shown.count <= limits.entries, "the bounds of a watch")
    }
  }
}

extension JSONValue {
  fileprivate var hasOtherNumbers: Bool {
    switch self {
    case .otherNumber: true
    case .array(let elements): elements.contains(where: \.hasOtherNumbers)
    case .object(let fields): fields.values.contains(where: \.hasOtherNumbers)
    case .null, .bool, .integer, .string: false
    }
  }
}
