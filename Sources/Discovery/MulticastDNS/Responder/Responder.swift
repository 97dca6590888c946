import _BonjourishBase
import _BonjourishDiscovery

/// Publishes this host's records on one link: probes, announces, answers, defends names and sends goodbyes.
struct Responder {
  /// A change of the published records.
  enum Change {
    case published(DNSRecord)
    /// - Parameter isDisputed: Whether another host may have the same record, so that it must be asked for.
    case withdrawn(DNSName, DNSData, isDisputed: Bool)
  }

  /// The number of recent conflicts that slow probing down (RFC 6762 §8.1).
  static let conflictLimit = 15
  /// The time that a goodbye waits to share a datagram with others, in milliseconds.
  static let goodbyeDelay: Int64 = 5

  let link: MulticastLink
  var addresses: LinkAddresses
  /// The longest datagram in bytes that is not sent in fragments.
  var packetLimit = MessagePacker.longestLimit
  private(set) var changes: [Change] = []

  var zone = Zone()
  var claims = SlotMap<Claim>()
  var claimSlots: [RecordOwner: Int] = [:]
  var claimTimers = DeadlineQueue()
  /// The times at which waiting updates of claims are due.
  var updateTimers = DeadlineQueue()
  /// The slots of the claims that probe for each name.
  var probed: [DNSName: ClaimSet] = [:]
  /// The claims whose first probe is not scheduled yet.
  var unscheduled: [Int] = []
  /// The time when the first probes of new claims are sent together.
  var probingAt = Instant(microseconds: .min)
  /// The times of the last conflicts, at most ``conflictLimit``.
  var conflicts: [Instant] = []
  /// The time until which probing is slow, because there were many conflicts.
  var slowUntil = Instant(microseconds: .min)
  var recentlyWithdrawn = RecentlyWithdrawn()

  /// The times at which records of the zone are sent.
  var answerTimers = DeadlineQueue()
  /// The time when answers that other hosts may give too are sent together.
  var answersAt = Instant(microseconds: .min)
  var deferred: [DeferredQuery] = []
  var unicastBudget = UnicastBudget()

  var goodbyes: [DNSRecord] = []
  /// The addresses of interfaces that are gone. They are withdrawn with the goodbyes unless the host has them again by then.
  var departed: Set<IPAddress> = []
  var goodbyesAt = Instant.never
  var goodbyeRepeater = GoodbyeRepeater()

  /// What was sent, and why.
  var counters = MessageCounters()

  init(_ link: MulticastLink, _ addresses: LinkAddresses) {
    self.link = link
    self.addresses = addresses
  }

  /// The time when something is next due.
  var nextDeadline: Instant {
    // Two at a time: `min` with more arguments allocates an array, and this runs with each datagram.
    let claims = min(claimTimers.next, updateTimers.next)
    let goodbyes = min(goodbyesAt, goodbyeRepeater.next)
    let next = min(min(claims, goodbyes), answerTimers.next)
    return deferred.reduce(next) { min($0, $1.due) }
  }

  /// Carries out everything that is due.
  mutating func advance(_ step: inout Step) {
    if goodbyesAt <= step.now { sendGoodbyes(&step) }
    if goodbyeRepeater.next <= step.now { repeatGoodbyes(&step) }
    applyWaitingUpdates(&step)
    advanceClaims(&step)
    releaseDeferredQueries(&step)
    sendDueAnswers(&step)
  }

  /// Returns the changes since the last call, in order.
  mutating func takeChanges() -> [Change] {
    guard !changes.isEmpty else { return [] }
    defer { changes = [] }
    return changes
  }

  /// Adds a record to the zone.
  mutating func publish(_ record: ClaimedRecord, claim: Int) -> Int {
    let (slot, emptied) = zone.add(record.name, record.data, claim: record.isUnique ? claim : nil)
    if let emptied { forgetAnswer(emptied) }
    if zone[slot].lastSent == nil { zone[slot].lastSent = recentlyWithdrawn.lastSent(record.key) }
    if zone[slot].holders == 1 { zone[slot].chosenTimeToLive = record.timeToLive }
    changes.append(.published(zone[slot].record))
    return slot
  }

  /// Removes a record from the zone, unless another claim holds it too.
  mutating func withdraw(_ slot: Int, goodbye: Bool, _ step: inout Step) {
    let record = zone[slot]
    let emptied = zone.remove(slot)
    guard !emptied.isEmpty else { return }
    for slot in emptied { forgetAnswer(slot) }
    recentlyWithdrawn.note(
      RecordKey(name: record.name, data: record.data), lastSent: goodbye ? nil : record.lastSent, at: step.now)
    changes.append(.withdrawn(record.name, record.data, isDisputed: !record.isUnique && !goodbye))
    guard goodbye else { return }
    goodbyes.append(DNSRecord(record.name, record.data, timeToLive: 0, cacheFlush: record.isUnique))
    goodbyesAt = min(goodbyesAt, step.now + Self.goodbyeDelay)
  }

  // MARK: - Goodbyes

  /// Sends the waiting goodbyes (RFC 6762 §10.1).
  mutating func sendGoodbyes(_ step: inout Step) {
    var packer = MessagePacker(isResponse: true, limit: packetLimit)
    // RFC 6762 §10.2: the goodbye of one record must not take away what others have published of its set.
    for (place, record) in goodbyes.enumerated() where record.cacheFlush && !zone.slots(of: record.name, record.type).isEmpty {
      goodbyes[place] = DNSRecord(record.name, record.data, timeToLive: 0)
    }
    goodbyes += goodbyesOfDeparted()
    for record in goodbyes { packer.add(answers: [record]) }
    goodbyeRepeater.note(goodbyes, at: step.now)
    goodbyes = []
    goodbyesAt = .never
    sendGoodbyes(in: packer.finished(), &step)
  }

  /// They replace nothing that was announced less than a second before, as the host's other addresses are (RFC 6762 §10.2).
  private mutating func goodbyesOfDeparted() -> [DNSRecord] {
    let gone = departed.subtracting(addresses.ofHost)
    departed = []
    guard let slot = claimSlots[.host], claims[slot].isPublished, let host = claims[slot].records.first else { return [] }
    return gone.map { DNSRecord(host.name, .address($0), timeToLive: 0, cacheFlush: host.isUnique) }
  }

  /// Repeats goodbyes, except for records that are published again.
  private mutating func repeatGoodbyes(_ step: inout Step) {
    var packer = MessagePacker(isResponse: true, limit: packetLimit)
    for record in goodbyeRepeater.popDue(at: step.now) where zone.find(record.name, record.data) == nil {
      if case .address(let address) = record.data, addresses.ofHost.contains(address) { continue }
      packer.add(answers: [record])
    }
    sendGoodbyes(in: packer.finished(), &step)
  }

  private mutating func sendGoodbyes(in packets: [[UInt8]], _ step: inout Step) {
    counters.goodbyesSent += packets.count
    step.send(packets, on: link)
  }

  mutating func forgetRepeatedGoodbyes() { goodbyeRepeater = GoodbyeRepeater() }
}
