/// An mDNS querier and responder (RFC 6762) as a value: what happens goes in, what is to be done comes out.
///
/// It does no I/O, has no clock and no randomness but its seed: the same events at the same times give the same effects.
///
/// - What this process itself publishes answers its own questions from within, as soon as it is announced: no datagram is
///   needed, and our own datagrams that come back by multicast loop are told apart and dropped. (Only those that were sent
///   through *this* value: another process of this host is another host as far as the engine is concerned.)
/// - Questions never ask for unicast answers, since port 5353 may be shared with other processes (RFC 6762 §15.1); answers
///   that come by unicast are therefore dropped (§6).
/// - All that grows with what the network sends is bounded: a link's cache by ``RecordCache/maximumRecords`` and
///   ``RecordCache/maximumBytes``, queries in several datagrams by ``HeldQuery/maximum`` and ``OverheardQuery/maximum``, echoes
///   by their number and by time.
package struct MulticastEngine: Sendable {
  /// Where all of it is sent from and to.
  package static let port: UInt16 = 5353

  struct Query {
    let key: SetKey
    let interface: UInt32?
    /// The links on which those who answer at once may still do so; nil when the asker has been told.
    var unsettled: Set<MulticastLink>?
  }

  struct Registration {
    var records: [PublishedRecord]
    let interface: UInt32?
    /// The links on which the records are not announced yet; nil when the publisher has been told.
    var unestablished: Set<MulticastLink>?
  }

  var links: [LinkState] = []
  var queries: [QueryID: Query] = [:]
  var registrations: [RegistrationID: Registration] = [:]
  /// Who publishes a unique name.
  var publishers: [DNSName: [RegistrationID]] = [:]
  var hostName: HostName?
  private var random: SeededGenerator

  /// Makes an engine without links.
  ///
  /// - Parameter seed: Where the random delays come from; another one in each process.
  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// When `handle` has something to do even if nothing happens; nil for never.
  package var nextDeadline: Duration? {
    var next = Instant.never
    for index in links.indices { next = min(next, links[index].nextDeadline) }
    return next == .never ? nil : next.duration
  }

  /// Takes in an event.
  ///
  /// - Parameter now: The time since some moment that stays the same; it never goes back.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    // Deadlines are rounded down to microseconds, and so is the time that is compared with them.
    var turn = Turn(now: Instant(now), random: random)
    for index in links.indices { links[index].advance(&turn) }
    carryOut(event, &turn)
    repeat {
      let reports = turn.reports
      turn.reports = []
      for (link, report) in reports { take(report, from: link, &turn) }
      for index in links.indices { links[index].advance(&turn) }
    } while !turn.reports.isEmpty
    random = turn.random
    return turn.effects
  }

  private mutating func carryOut(_ event: Event, _ turn: inout Turn) {
    switch event {
    case .linkUp(let link, let addresses):
      bringUp(link, addresses, &turn)
    case .linkChanged(let link, let addresses):
      change(link, addresses, &turn)
    case .linkDown(let link):
      takeDown(link, &turn)
    case .received(let bytes, let source, let reception):
      guard let index = index(of: source.link) else { return }
      links[index].receive(bytes, from: source, to: reception, &turn)
    case .heard(let message, let source, let reception):
      guard let index = index(of: source.link) else { return }
      links[index].receive(message, from: source, to: reception, &turn)
    case .timePassed:
      break
    case .ask(let id, let name, let type, let interface):
      ask(id, Query(key: SetKey(name: name, type: type), interface: interface, unsettled: []), &turn)
    case .endAsking(let id):
      guard let query = queries.removeValue(forKey: id) else { return }
      for index in links.indices { links[index].endAsking(query.key, for: id, at: turn.now) }
    case .reconfirm(let name, let type, let data):
      for index in links.indices { links[index].reconfirm(SetKey(name: name, type: type), data, &turn) }
    case .publish(let id, let records, let interface):
      publish(id, Registration(records: records, interface: interface, unestablished: []), &turn)
    case .update(let id, let records):
      update(id, records, &turn)
    case .withdraw(let id):
      end(id, goodbye: true, &turn)
    case .setHostName(let name):
      setHostName(HostName(wanted: name), &turn)
    case .flush:
      for index in links.indices { links[index].sendGoodbyes(&turn) }
    case .shutDown:
      shutDown(&turn)
    }
  }

  /// By index, since a closure would be handed a copy of the whole state of each link.
  func index(of link: MulticastLink) -> Int? { links.indices.first { links[$0].link == link } }

  private mutating func take(_ report: Turn.Report, from link: MulticastLink, _ turn: inout Turn) {
    switch report {
    case .settled(let id):
      queries[id]?.unsettled?.remove(link)
      tellIfSettled(id, &turn)
    case .established(.registration(let id)):
      registrations[id]?.unestablished?.remove(link)
      tellIfEstablished(id, &turn)
    case .established(.host):
      hostName?.unestablished?.remove(link)
      tellIfHostEstablished(&turn)
    case .lost(.registration(let id), let name):
      guard registrations[id] != nil else { return }
      end(id, goodbye: true, &turn)
      turn.effects.append(.registration(id, .conflict(name)))
    case .lost(.host, let name):
      rename(from: name, &turn)
    }
  }

  /// Says goodbye for everything.
  private mutating func shutDown(_ turn: inout Turn) {
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) { end(id, goodbye: true, &turn) }
    hostName = nil
    for index in links.indices {
      links[index].release(.host, goodbye: true, &turn)
      links[index].sendGoodbyes(&turn)
      links[index].farewells = Farewells()
    }
  }
}
