package import FuzzCases
import _BonjourishBusProtocol
import _BonjourishDaemonMachine
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Bytes from the bus: messages that three programs send to the daemon.
///
/// However the bytes are split, the messages are the same, and can be read as they are written. The daemon answers each call once at
/// most, keeps its limits, and has nothing left when the bus is gone.
package struct BusCase {
  /// The largest number of objects.
  private static let objects = 64

  private var machine: DaemonMachine
  private var now: Duration = .zero
  private var lookups: [DaemonMachine.LookupID] = []
  private var publications: [DaemonMachine.PublicationID] = []
  private var open = 0

  init() {
    var settings = DaemonSettings()
    settings.limits.objects = Self.objects
    settings.limits.clients = 3
    settings.limits.entriesPerGroup = 16
    machine = DaemonMachine(settings, machineName: "h1", version: "bonjourish", cookie: 7)
  }

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    let (messages, isWhole) = read(bytes, pieces: .max)
    let (others, isOtherWhole) = read(bytes, pieces: 3)
    try Violation.unless(messages == others && isWhole == isOtherWhole, "in pieces the messages are others")
    var daemon = BusCase()
    _ = try daemon.handle(.connected)
    for (number, message) in messages.enumerated() {
      if message.body != nil, message.serial != 0 {
        try Violation.unless(read(message.encoded, pieces: .max).messages == [message], "a message is read as another")
      }
      var message = message
      message.sender = ":1.\(number % 3)"
      message.serial = UInt32(number + 1_000)
      try daemon.take(message)
    }
    try daemon.end()
  }

  private static func read(_ bytes: [UInt8], pieces size: Int) -> (messages: [BusMessage], isWhole: Bool) {
    var stream = BusStream()
    var messages: [BusMessage] = []
    var rest = bytes[...]
    do throws(BusStream.Malformed) {
      while !rest.isEmpty {
        stream.append(rest.prefix(size))
        rest = rest.dropFirst(size)
        while let message = try stream.next() { messages.append(message) }
      }
    } catch {
      return (messages, false)
    }
    return (messages, true)
  }

  /// Takes a message of a program.
  ///
  /// - Returns: The answer, if it has one at once.
  @discardableResult
  mutating func take(_ message: BusMessage) throws(Violation) -> BusMessage? {
    now += .milliseconds(700)
    let sent = try handle(.message(message))
    let answers = sent.filter { $0.answers == message.serial && $0.destination == message.sender }
    try Violation.unless(answers.count <= 1, "a call is answered twice")
    try Violation.unless(message.kind == .call || answers.isEmpty, "what is no call is answered")
    if machine.hasChanges { _ = try handle(.tickEnded) }
    // Each fourth time the engine has something to tell.
    if message.serial % 4 == 0 { try tell() }
    return answers.first
  }

  /// A program leaves the bus.
  mutating func leave(_ client: String) throws(Violation) {
    var message = BusMessage.signal(
      "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", to: nil,
      [.text(client), .text(client), .text("")])
    message.sender = "org.freedesktop.DBus"
    _ = try handle(.message(message))
  }

  private mutating func tell() throws(Violation) {
    let link = MulticastLink(interface: 2, family: .ipv4)
    if let id = lookups.last, let name = try? DNSName("Ada._http._tcp.local"), let host = try? DNSName("h2.local") {
      let all: [DNSData] = [
        .ptr(name), .srv(DNSService(target: host, port: 80)), .txt([1, 97]), .address(.ipv4(1)), .txt([200, 1]),
        .other(DNSType(rawValue: 65_280), [1]),
      ]
      for data in all { _ = try handle(.answered(id, .added(DNSRecord(name, data, timeToLive: 120), link, isOwn: true))) }
      for answer in [.cacheExhausted, .settled] as [DaemonMachine.Answer] { _ = try handle(.answered(id, answer)) }
      _ = try handle(.answered(id, .removed(DNSRecord(name, all[1], timeToLive: 120), link)))
    }
    if let id = publications.last, let name = try? DNSName("Ada._http._tcp.local") {
      _ = try handle(.published(id, now.components.seconds % 2 == 0 ? .established : .conflict(name)))
    }
  }

  mutating func end() throws(Violation) {
    now += .seconds(20)
    _ = try handle(.timePassed)
    _ = try handle(.disconnected)
    try Violation.unless(machine.objectCount == 0, "objects stay without their clients")
    try Violation.unless(open == 0, "questions or publications stay without their clients")
  }

  /// - Returns: The messages that are sent.
  mutating func handle(_ event: DaemonMachine.Event) throws(Violation) -> [BusMessage] {
    var sent: [BusMessage] = []
    for effect in machine.handle(event, at: now) {
      switch effect {
      case .send(let message):
        try Violation.unless(Self.read(message.encoded, pieces: .max).messages == [message], "what is sent cannot be read")
        sent.append(message)
      case .ask(let id, _, _, _):
        lookups.append(id)
        open += 1
      case .publish(let id, let records, _):
        try Violation.unless(!records.isEmpty, "nothing is published")
        publications.append(id)
        open += 1
      case .endAsking, .withdraw: open -= 1
      case .update(let id, let records):
        try Violation.unless(publications.contains(id) && !records.isEmpty, "what is not published is changed")
      case .setHostName, .foundAddress, .foundName, .refused, .ready, .log: break
      }
    }
    try Violation.unless(machine.objectCount <= Self.objects, "there are more objects than allowed")
    // The first two programs are of one user. Of each fourth one the bus knows nothing.
    for call in sent where call.member == "GetConnectionUnixUser" && call.destination == "org.freedesktop.DBus" {
      guard case .text(let client)? = call.body?.first else { continue }
      let isKnown = call.serial % 4 != 0
      var answer = BusMessage(isKnown ? .answer : .error)
      (answer.answers, answer.sender) = (call.serial, "org.freedesktop.DBus")
      answer.body = isKnown ? [.uint32(client == ":1.2" ? 0 : 1_000)] : []
      answer.errorName = isKnown ? nil : "org.freedesktop.DBus.Error.Failed"
      sent += try handle(.message(answer))
    }
    return sent
  }
}
