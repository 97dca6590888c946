import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// One engine on one link, and peers that say what the test has them say.
final class LoneEngine {
  struct Sent {
    let time: Duration
    let message: DNSMessage
    let destination: MulticastEngine.Destination
    let link: MulticastLink
    let bytes: [UInt8]
  }

  static let address = IPAddress.ipv4(0x0A00_0001)
  let link = MulticastLink(interface: 1, family: .ipv4)
  private(set) var engine: MulticastEngine
  private(set) var now: Duration = .seconds(100)
  /// How long it takes to send what one event causes, because the machine is busy.
  var sendingTime: Duration = .zero
  private(set) var sent: [Sent] = []
  private(set) var effects: [MulticastEngine.Effect] = []

  init(
    seed: UInt64 = 1, addresses: [InterfaceAddress] = [InterfaceAddress(LoneEngine.address, prefixLength: 24)],
    hostName: DNSName? = nil
  ) {
    engine = MulticastEngine(seed: seed)
    self.do(.linkUp(link, addresses: addresses))
    if let hostName {
      self.do(.setHostName(hostName))
      run(for: .seconds(10))
      clear()
    }
  }

  @discardableResult
  func `do`(_ event: MulticastEngine.Event) -> [MulticastEngine.Effect] {
    let effects = engine.handle(event, at: now)
    for effect in effects {
      if case .send(let bytes, let link, let destination) = effect {
        guard let message = try? DNSMessage(parsing: bytes) else {
          Issue.record("the engine sends what is no message: \(bytes)")
          continue
        }
        sent.append(Sent(time: now, message: message, destination: destination, link: link, bytes: bytes))
      } else {
        self.effects.append(effect)
      }
    }
    if sendingTime > .zero, sent.last?.time == now {
      engine.noteSending(since: now, until: now + sendingTime)
      now += sendingTime
    }
    return effects
  }

  func run(for duration: Duration) {
    let end = now + duration
    while let deadline = engine.nextDeadline, deadline <= end {
      now = max(now, deadline)
      self.do(.timePassed)
    }
    now = max(now, end)
  }

  /// Lets time pass in which the program does not run, because the machine is busy.
  func stall(for duration: Duration) { now += duration }

  func clear() {
    sent = []
    effects = []
  }

  @discardableResult
  func hear(
    _ message: DNSMessage, from last: UInt32 = 2, port: UInt16 = 5353, to reception: MulticastEngine.Reception = .multicast,
    address: IPAddress? = nil
  ) -> [MulticastEngine.Effect] {
    let source = MulticastSource(address ?? .ipv4(0x0A00_0000 + last), port: port, link: link)
    return self.do(.received(message.written(), from: source, to: reception))
  }

  /// Hears a response with these records.
  func hear(_ records: DNSRecord..., from last: UInt32 = 2) {
    var message = DNSMessage(isResponse: true)
    message.answers = records
    hear(message, from: last)
  }

  /// Hears a question.
  func hear(
    question name: DNSName, _ type: DNSType, unicast: Bool = false, knowing known: [DNSRecord] = [],
    proposing proposed: [DNSRecord] = [], truncated: Bool = false, from last: UInt32 = 2
  ) {
    var message = DNSMessage(isResponse: false)
    message.questions = [DNSQuestion(name, type, wantsUnicast: unicast)]
    message.answers = known
    message.authorities = proposed
    message.isTruncated = truncated
    hear(message, from: last)
  }

  /// Publishes and waits until nothing more is said of it.
  func establish(_ records: [PublishedRecord], as id: UInt64 = 1) {
    self.do(.publish(.init(id), records))
    run(for: .seconds(10))
    clear()
  }

  /// The times at which a question was sent, and its messages.
  func questions(_ name: DNSName, _ type: DNSType) -> [Sent] {
    sent.filter { $0.message.questions.contains { $0.name == name && $0.type == type } }
  }

  var responses: [Sent] { sent.filter(\.message.isResponse) }

  func answered(_ change: MulticastEngine.AnswerChange, to id: UInt64 = 1) -> Bool {
    effects.contains(.answer(.init(id), change))
  }
}
