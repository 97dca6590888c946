/// All that the engine knows and does on one link; links do not know of each other.
struct LinkState {
  /// Conflicts in ten seconds after which probing slows down (RFC 6762 §8.1).
  static let conflictsAtOnce = 15
  /// Milliseconds that a goodbye waits for others to share a datagram with.
  static let goodbyePatience: Int64 = 5
  /// How many known answers a question tells of; what is beyond is answered again.
  static let maximumKnownAnswers = 4096

  let link: MulticastLink
  /// Those of the link's interface.
  var addresses: [InterfaceAddress]
  /// Those of all interfaces of this host.
  var ownAddresses: Set<DNSAddress> = []

  // Asking.
  var cache = RecordCache()
  var questions = Slots<LinkQuestion>()
  var questionPlaces: [SetKey: Int] = [:]
  var questionTimers = DeadlineQueue()
  var overheard: [OverheardQuery] = []
  /// When the questions go out that are new.
  var askingAt = Instant(microseconds: .min)
  /// Questions about records in doubt that nobody else asks for, and when they go out.
  var extraQuestions: [SetKey] = []
  var extraAskingAt = Instant.never

  // Answering.
  var zone = Zone()
  var claims = Slots<Claim>()
  var claimPlaces: [RecordOwner: Int] = [:]
  var claimTimers = DeadlineQueue()
  /// Which claim probes for a name.
  var probed: [DNSName: Int] = [:]
  /// When the claims begin to probe that are new.
  var probingAt = Instant(microseconds: .min)
  /// When there were conflicts, the last few.
  var conflicts: [Instant] = []
  var former = FormerRecords()
  /// When each record of the zone is to be sent.
  var answerTimers = DeadlineQueue()
  /// When the answers go out that others may give too.
  var answersAt = Instant(microseconds: .min)
  var held: [HeldQuery] = []
  var goodbyes: [DNSRecord] = []
  var goodbyesAt = Instant.never
  var farewells = Farewells()

  var echoes = EchoTable()

  init(_ link: MulticastLink, addresses: [InterfaceAddress]) {
    self.link = link
    self.addresses = addresses
  }

  /// When there is something to do.
  var nextDeadline: Instant {
    var next = min(cache.deadlines.next, questionTimers.next)
    next = min(next, extraAskingAt, claimTimers.next)
    next = min(next, answerTimers.next, goodbyesAt, farewells.next)
    for query in held { next = min(next, query.due) }
    return next
  }

  /// Does what is due.
  mutating func advance(_ turn: inout Turn) {
    guard nextDeadline <= turn.now else { return }
    if goodbyesAt <= turn.now { sendGoodbyes(&turn) }
    if farewells.next <= turn.now { repeatGoodbyes(&turn) }
    ageRecords(&turn)
    advanceClaims(&turn)
    releaseHeldQueries(&turn)
    sendDueAnswers(&turn)
    if min(questionTimers.next, extraAskingAt) <= turn.now { sendDueQuestions(&turn) }
  }

  mutating func send(_ packet: [UInt8], to destination: MulticastEngine.Destination, _ turn: inout Turn) {
    switch destination {
    case .multicast: echoes.expect(packet, at: turn.now)
    case .unicast: break
    }
    turn.effects.append(.send(packet, on: link, to: destination))
  }

  /// Whether an address is one of the link's own network (RFC 6762 §11).
  func isOnLink(_ address: DNSAddress) -> Bool {
    addresses.contains { $0.address.shares($0.prefixLength, bitsWith: address) }
  }

  /// The link goes: everything that was known of it goes too.
  mutating func forgetAll(_ turn: inout Turn) {
    for slot in cache.slotsInUse { drop(slot, &turn) }
  }
}
