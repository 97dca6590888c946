import _BonjourishBase
import _BonjourishDiscovery

/// An mDNS querier and responder (RFC 6762) as a value: events go in, effects come out.
///
/// It does no I/O, and has no clock. Its only randomness is the seed: the same events at the same times give the same effects.
///
/// - Records that this process publishes answer its own questions as soon as they are announced, without a datagram. Our own
///   datagrams that the kernel loops back are recognised and dropped. This works only for datagrams of *this* engine: it treats
///   another process on this host like another host, except that one of them publishes the host's addresses (`Responder+Guest`).
/// - Questions never ask for unicast answers, because port 5353 may be shared with other processes (RFC 6762 §15.1). So unicast
///   answers are dropped (§6).
/// - Everything that grows with received data is bounded: the caches of all links together by ``RecordCache/maximumRecords`` and
///   ``RecordCache/maximumBytes``, queries in several datagrams by ``DeferredQuery/maximum`` and ``OverheardQuery/maximum``,
///   echoes by number, unicast answers by ``UnicastBudget``.
package struct MulticastEngine: Sendable {
  /// The port of mDNS. Every datagram is sent from it, and multicast datagrams are sent to it.
  package static let port: UInt16 = 5353

  struct Query {
    let key: HashedKey
    let scope: ScopeID?
    /// The links on which prompt answers may still arrive; nil after `settled` was returned.
    var unsettled: Set<MulticastLink>?
  }

  struct Registration {
    var records: [PublishedRecord]
    let scope: ScopeID?
    let sharesNames: Bool
    /// The links on which the records are not announced yet; nil after `established` was returned.
    var unestablished: Set<MulticastLink>?
  }

  var links: [LinkState] = []
  /// What may still come back on links that are gone.
  var formerEchoes: [MulticastLink: EchoTable] = [:]
  /// The links of each scope that has some.
  var scopes: [ScopeID: Set<MulticastLink>] = [:]
  var queries: [QueryID: Query] = [:]
  var registrations: [RegistrationID: Registration] = [:]
  /// The registrations that publish each unique name.
  var publishers: [DNSName: [RegistrationID]] = [:]
  var hostName: HostName?
  /// The addresses of this host's interfaces without links.
  var otherAddresses: Set<IPAddress> = []
  /// What the links that are gone have counted, and what is not counted by link.
  var counters = MessageCounters()
  private var random: SeededGenerator

  /// Makes an engine without links.
  ///
  /// - Parameter seed: The seed of the random delays. It should differ between processes.
  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// The time at which to send ``Event/timePassed`` if there is no earlier event; nil for none.
  package var nextDeadline: Duration? {
    var next = Instant.never
    for index in links.indices { next = min(next, links[index].nextDeadline) }
    return next == .never ? nil : next.duration
  }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time since an origin that the caller chooses. It must not go back.
  /// - Returns: The effects to carry out, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    // The time is rounded down to microseconds, like the deadlines that it is compared with.
    var step = Step(now: Instant(now), random: random)
    for index in links.indices { links[index].advance(&step) }
    carryOut(event, &step)
    repeat {
      let reports = step.reports
      step.reports = []
      for (link, report) in reports { take(report, from: link, &step) }
      for index in links.indices { links[index].advance(&step) }
    } while !step.reports.isEmpty
    for case .send(let bytes, let link, .multicast) in step.effects {
      if let index = index(of: link) { links[index].expectEcho(of: bytes) }
    }
    random = step.random
    return step.effects
  }

  /// Notes when effects were carried out. What is sent after them keeps its distance from that time, which is later than planned on a
  /// busy machine. Call it when effects had datagrams to send.
  ///
  /// - Parameters:
  ///   - began: The time that was given to ``handle(_:at:)``.
  ///   - end: The time when the last effect was carried out.
  package mutating func noteSending(since began: Duration, until end: Duration) {
    // Rounded up, so that no distance is too short.
    let time = Instant(began)...Instant(end + .nanoseconds(999))
    for index in links.indices { links[index].noteSending(time) }
  }

  private mutating func carryOut(_ event: Event, _ step: inout Step) {
    switch event {
    case .linkUp(let link, let addresses):
      bringUp(link, addresses, &step)
    case .linkChanged(let link, let addresses):
      change(link, addresses, &step)
    case .mtuChanged(let link, let bytes):
      if let index = index(of: link) { links[index].setPacketLimit(MessagePacker.limit(mtu: bytes)) }
    case .linkDown(let link):
      takeDown(link, &step)
    case .setHostAddresses(let addresses):
      otherAddresses = addresses
      shareAddresses()
    case .setScope(let id, let links):
      setScope(id, to: links, &step)
    case .received(let bytes, let source, let reception):
      guard let index = index(of: source.link) else { return }
      links[index].receive(bytes, from: source, to: reception, &step)
      evictSurplus(&step)
    case .heard(let message, let source, let reception):
      guard let index = index(of: source.link) else { return }
      links[index].receive(message, from: source, to: reception, &step)
      evictSurplus(&step)
    case .timePassed:
      break
    case .ask(let id, let name, let type, let scope):
      ask(id, Query(key: HashedKey(name: name, type: type), scope: scope, unsettled: []), &step)
    case .endAsking(let id):
      guard let query = queries.removeValue(forKey: id) else { return }
      for index in links.indices { links[index].querier.endAsking(query.key, for: id, at: step.now) }
    case .reconfirm(let name, let type, let data, let scope):
      for index in links.indices where contains(links[index].link, in: scope) {
        links[index].querier.reconfirm(HashedKey(name: name, type: type), data, &step)
      }
    case .publish(let id, let records, let scope, let sharesNames):
      publish(id, Registration(records: records, scope: scope, sharesNames: sharesNames, unestablished: []), &step)
    case .update(let id, let records):
      update(id, records, &step)
    case .withdraw(let id):
      end(id, goodbye: true, &step)
    case .setHostName(let name, let scope, let hasAddresses):
      setHostName(HostName(wanted: name, scope: scope, hasAddresses: hasAddresses), &step)
    case .flush:
      for index in links.indices { links[index].sendGoodbyes(&step) }
    case .shutDown:
      shutDown(&step)
    }
  }

  /// Compares by index, because a closure over `links` would copy each link's state.
  func index(of link: MulticastLink) -> Int? { links.indices.first { links[$0].link == link } }

  private mutating func take(_ report: Step.Report, from link: MulticastLink, _ step: inout Step) {
    switch report {
    case .settled(let id):
      queries[id]?.unsettled?.remove(link)
      tellIfSettled(id, &step)
    case .established(.registration(let id)):
      registrations[id]?.unestablished?.remove(link)
      tellIfEstablished(id, &step)
    case .established(.host):
      hostName?.unestablished?.remove(link)
      tellIfHostEstablished(&step)
      repeatHost(besides: link.interface, at: step.now)
    case .renewedHost:
      repeatHost(besides: link.interface, at: step.now)
    case .withdrawn(let name, let data):
      for index in links.indices where links[index].link.interface == link.interface && links[index].link != link {
        links[index].querier.doubt(name, data, &step)
      }
    case .lost(.registration(let id), let name):
      guard registrations[id] != nil else { return }
      end(id, goodbye: true, &step)
      step.effects.append(.registration(id, .conflict(name)))
    case .lost(.host, let name):
      rename(from: name, &step)
    case .established(.reversePointer), .lost(.reversePointer, _):
      break
    }
  }

  /// Withdraws all records with goodbyes.
  private mutating func shutDown(_ step: inout Step) {
    for id in registrations.keys.sorted(by: { $0.rawValue < $1.rawValue }) { end(id, goodbye: true, &step) }
    hostName = nil
    for index in links.indices {
      links[index].release(.host, goodbye: true, &step)
      links[index].sendGoodbyes(&step)
      links[index].forgetRepeatedGoodbyes()
    }
  }
}
