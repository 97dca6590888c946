import _BonjourishDiscovery

/// One link: a querier and a responder, which do not refer to each other.
///
/// Only this type passes facts between them. Records that the responder publishes answer the querier's questions. Records from
/// other hosts are compared with the responder's before the querier learns them.
struct LinkState {
  let link: MulticastLink
  var querier: Querier
  private var responder: Responder
  /// It outlives the link: what was sent may still come back when the link has begun again.
  private(set) var echoes: EchoTable
  private var received = MessageCounters()

  init(_ link: MulticastLink, addresses: [InterfaceAddress], echoes: EchoTable) {
    self.link = link
    self.echoes = echoes
    querier = Querier(link)
    responder = Responder(link, LinkAddresses(ofInterface: addresses))
  }

  /// The addresses of the link's interface, and of all interfaces of this host.
  var addresses: LinkAddresses {
    get { responder.addresses }
    set { responder.addresses = newValue }
  }

  /// Sets the longest datagram in bytes that is not sent in fragments (RFC 6762 §17).
  mutating func setPacketLimit(_ bytes: Int) {
    responder.packetLimit = bytes
    querier.packetLimit = bytes
  }

  /// The load that received datagrams cause.
  var load: MulticastEngine.Load {
    MulticastEngine.Load(
      records: querier.cache.foreignCount, bytes: querier.cache.foreignBytes, deferredQueries: responder.deferred.count)
  }

  /// What was received and sent on the link.
  var counters: MessageCounters {
    var counters = responder.counters
    counters += querier.counters
    counters += received
    return counters
  }

  /// The time when something is next due.
  var nextDeadline: Instant { min(querier.nextDeadline, responder.nextDeadline) }

  /// Carries out everything that is due.
  mutating func advance(_ step: inout Step) {
    guard nextDeadline <= step.now else { return }
    querier.ageRecords(&step)
    respond(&step) { $0.advance(&$1) }
    querier.sendDueQuestions(&step)
  }

  // MARK: - Publishing

  mutating func claim(_ records: [ClaimedRecord], for owner: RecordOwner, needsHost: Bool, _ step: inout Step) {
    respond(&step) { responder, _ in responder.claim(records, for: owner, needsHost: needsHost) }
  }

  /// See ``Responder/update(_:for:needsHost:_:)``.
  mutating func update(_ records: [ClaimedRecord], for owner: RecordOwner, needsHost: Bool, _ step: inout Step) -> Bool {
    respond(&step) { $0.update(records, for: owner, needsHost: needsHost, &$1) }
  }

  /// See ``Responder/renew(_:for:_:)``.
  mutating func renew(_ records: [ClaimedRecord], for owner: RecordOwner, _ step: inout Step) {
    respond(&step) { $0.renew(records, for: owner, &$1) }
  }

  mutating func release(_ owner: RecordOwner, goodbye: Bool, _ step: inout Step) {
    respond(&step) { $0.release(owner, goodbye: goodbye, &$1) }
  }

  /// See ``Responder/repeatHost(withdrawing:at:)``.
  mutating func repeatHost(withdrawing departed: Set<IPAddress>, at now: Instant) {
    responder.repeatHost(withdrawing: departed, at: now)
  }

  mutating func sendGoodbyes(_ step: inout Step) { responder.sendGoodbyes(&step) }

  mutating func forgetRepeatedGoodbyes() { responder.forgetRepeatedGoodbyes() }

  /// Calls the responder, and tells the querier which of our records were published and withdrawn.
  private mutating func respond<Result>(_ step: inout Step, _ body: (inout Responder, inout Step) -> Result) -> Result {
    let result = body(&responder, &step)
    for change in responder.takeChanges() {
      switch change {
      case .published(let record): querier.addOwn(record, &step)
      case .withdrawn(let name, let data, let isDisputed): querier.removeOwn(name, data, isDisputed: isDisputed, &step)
      }
    }
    responder.scheduleProbes(&step)
    return result
  }

  /// See ``Responder/noteSending(_:)``.
  mutating func noteSending(_ time: ClosedRange<Instant>) { responder.noteSending(time) }

  // MARK: - Receiving

  /// Notes a multicast datagram that is being sent, because the kernel will loop it back.
  mutating func expectEcho(of bytes: [UInt8]) { echoes.expect(bytes) }

  /// Handles a datagram. Silently drops echoes, invalid messages and messages that are not for us.
  mutating func receive(
    _ bytes: [UInt8], from source: MulticastSource, to reception: MulticastEngine.Reception, _ step: inout Step
  ) {
    if source.port == MulticastEngine.port, addresses.ofHost.contains(source.address), echoes.take(bytes) {
      received.echoes += 1
      return
    }
    guard let message = try? DNSMessage(parsing: bytes) else {
      received.malformed += 1
      return
    }
    receive(message, from: source, to: reception, &step)
  }

  /// Handles a message that is not an echo of our own.
  mutating func receive(
    _ message: DNSMessage, from source: MulticastSource, to reception: MulticastEngine.Reception, _ step: inout Step
  ) {
    let isOurs = addresses.ofHost.contains(source.address)
    // Another process. Our own datagrams from a bridged interface have that interface's address.
    let isNeighbour = isOurs && addresses.ofInterface.contains { $0.address == source.address }
    if message.isResponse {
      // RFC 6762 §6: responses come from port 5353. Unicast responses are dropped, because we never ask for them.
      guard source.port == MulticastEngine.port, reception == .multicast else {
        received.ignored += 1
        return
      }
      received.responsesReceived += 1
      if isNeighbour { respond(&step) { $0.hearNeighbour(message, &$1) } }
      if message.answers.count > 32 { step.effects.reserveCapacity(2 * message.answers.count) }
      let isAdmitted = querier.admits(source.address, at: step.now)
      // Records of one name stand side by side, and hardly any name is one that we alone may use.
      var free: DNSName?
      for records in [message.answers, message.authorities, message.additionals] {
        for record in records {
          var known = querier.cache.find(record.name, record.data)
          let isPublished = known.map { querier.cache[$0].standing == .own } ?? false
          let isClaimed = record.name != free && responder.hasClaim(on: record.name)
          free = isClaimed ? nil : record.name
          if isPublished || isClaimed {
            let hasChanges = respond(&step) { responder, step in
              responder.compare(record, isPublished: isPublished, fromThisHost: isOurs, &step)
              return !responder.changes.isEmpty
            }
            if hasChanges { known = querier.cache.find(record.name, record.data) }
          }
          querier.learn(record, knownAt: known, from: source.address, isAdmitted: isAdmitted, &step)
        }
      }
    } else {
      // RFC 6762 §5.5: a unicast query is answered only if it comes from the link.
      guard reception == .multicast || addresses.areOnLink(with: source.address) else {
        received.ignored += 1
        return
      }
      let message = source.port == MulticastEngine.port ? message.withoutRepeatedQuestions : message
      if message.authorities.isEmpty { received.queriesReceived += 1 } else { received.probesReceived += 1 }
      if source.port == MulticastEngine.port {
        if isOurs { respond(&step) { $0.yieldReversePointers(to: message, &$1) } }
        if isNeighbour { respond(&step) { $0.makeWay(for: message, &$1) } }
        responder.breakTies(message, fromThisHost: isOurs, &step)
        if reception == .multicast {
          querier.overhear(message, from: source, fromThisHost: isOurs, at: step.now)
          querier.observe(message, from: source, &step)
        }
      }
      responder.hearQuestions(message, at: step.now)
      responder.answer(message, from: source, to: reception, &step)
    }
  }
}

extension DNSMessage {
  /// The message with one question for each name and type, which asks for a unicast answer only if all did.
  var withoutRepeatedQuestions: DNSMessage {
    guard questions.count > 1 else { return self }
    var index = SlotIndex()
    var unique: [DNSQuestion] = []
    for question in questions {
      let hash = HashedKey(name: question.name, type: question.type).digest
      if let place = index.first(hash: hash, where: { unique[$0].type == question.type && unique[$0].name == question.name }) {
        if !question.wantsUnicast { unique[place] = question }
      } else {
        index.insert(unique.count, hash: hash)
        unique.append(question)
      }
    }
    var message = self
    message.questions = unique
    return message
  }
}

/// The addresses that tell this host and hosts on the link from others.
struct LinkAddresses {
  /// The addresses of the link's interface.
  var ofInterface: [InterfaceAddress]
  /// The addresses of all interfaces of this host.
  var ofHost: Set<IPAddress> = []

  /// Whether an address is in the link's own network (RFC 6762 §11).
  func areOnLink(with address: IPAddress) -> Bool {
    ofInterface.contains { $0.address.shares($0.prefixLength, bitsWith: address) }
  }
}
