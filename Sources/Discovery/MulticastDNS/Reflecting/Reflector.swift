import _BonjourishDiscovery

/// Makes the services of one link visible on another: what was heard on one, and which of it is said on the others.
///
/// A value without I/O. It keeps no records: what it sends has just been heard, with the time to live that was heard. So a service
/// is gone on the other link when it is gone on its own, also if its host has crashed, or the reflector ends.
///
/// - A record crosses from the link on which its name lives to those for which the rules allow it, a question to those on which
///   services may be that the rules allow. Messages are written anew (RFC 6762 §18.14).
/// - Nothing is said on a link that was said there within a second, by whomever (RFC 6762 §6, §7.3, §7.4), and nothing goes back to
///   where it lives: ``HomeTable``. So two reflectors beside each other, or a ring of them, fall silent at once.
/// - Each link gets a limited number of datagrams, and every table is bounded.
package struct Reflector: Sendable {
  package let rules: ReflectionRules
  /// Whether effects tell what becomes of each question and record.
  package var isTelling = false
  var passages: [ReflectionRules.Direction: Passage] = [:]
  var interfaces: [UInt32: ReflectedInterface] = [:]
  var homes = HomeTable()
  var askers = AskerTable()
  var assembler = QueryAssembler()
  private var hostAddresses: Set<IPAddress> = []
  var totals = ReflectionCounters()

  /// Makes a reflector without links.
  package init(_ rules: ReflectionRules) {
    self.rules = rules
    passages = rules.filters.mapValues { Passage($0, keepsLinkLocal: rules.keepsLinkLocal) }
  }

  /// What it has done.
  package var counters: ReflectionCounters {
    var counters = totals
    counters.repeaters = homes.speakers.repeaterCount
    counters.passages = passages.mapValues(\.counters)
    return counters
  }

  /// The time at which to send ``Event/timePassed`` if there is no earlier event; nil for none.
  package var nextDeadline: Duration? {
    let next = min(assembler.nextDeadline, askers.nextDeadline)
    return next == .never ? nil : next.duration
  }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time since an origin that the caller chooses. It must not go back.
  /// - Returns: The effects to carry out, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    let now = Instant(now)
    var effects: [Effect] = []
    for (source, message) in assembler.takeDue(at: now) { cross(message, from: source, legacy: nil, at: now, &effects) }
    for asker in askers.takeDue(at: now) { askAgain(asker, at: now, &effects) }
    switch event {
    case .linkUp(let link, let addresses, let mtu):
      interfaces[link.interface, default: ReflectedInterface()].bringUp(link.family, addresses, mtu: mtu)
    case .linkDown(let link):
      interfaces[link.interface]?.takeDown(link.family)
    case .setHostAddresses(let addresses):
      hostAddresses = addresses
    case .heard(let bytes, let source):
      hear(bytes, from: source, at: now, &effects)
    case .timePassed:
      break
    }
    return effects
  }

  private mutating func hear(_ bytes: [UInt8], from source: MulticastSource, at now: Instant, _ effects: inout [Effect]) {
    guard interfaces[source.link.interface]?.limits[source.link.family] != nil else { return }
    // Programs of this machine speak on each link themselves, and what was sent there comes back.
    guard !isOwn(source) else {
      totals.own += 1
      return
    }
    guard let message = try? DNSMessage(parsing: bytes) else {
      totals.malformed += 1
      return
    }
    if message.isResponse {
      // RFC 6762 §6: responses come from port 5353.
      guard source.port == MulticastEngine.port else {
        totals.ignored += 1
        return
      }
      totals.responsesHeard += 1
      cross(message, from: source, at: now, &effects)
    } else if source.port != MulticastEngine.port {
      totals.queriesHeard += 1
      guard let legacy = LegacyQuery(message) else { return }
      var plain = DNSMessage(isResponse: false)
      plain.questions = legacy.questions
      cross(plain, from: source, legacy: legacy, at: now, &effects)
    } else {
      totals.queriesHeard += 1
      for (source, query) in assembler.take(message, bytes: bytes.count, from: source, at: now) {
        cross(query, from: source, legacy: nil, at: now, &effects)
      }
    }
  }

  /// Whether this machine has sent a datagram. Link-local addresses are unique on their link alone (RFC 4007 §5).
  private func isOwn(_ source: MulticastSource) -> Bool {
    guard source.address.isLinkLocal else { return hostAddresses.contains(source.address) }
    return interfaces[source.link.interface]!.addresses.ofInterface.contains { $0.address == source.address }
  }

  // MARK: - Sending

  /// The other interfaces that are up, in the order of their numbers.
  func others(than interface: UInt32) -> [UInt32] {
    interfaces.keys.filter { $0 != interface && interfaces[$0]!.isUp }.sorted()
  }

  /// Sends datagrams to the group with each family that an interface has.
  mutating func send(_ packets: [[UInt8]], to interface: UInt32, at now: Instant, _ effects: inout [Effect]) {
    let families = interfaces[interface]!.families
    for family in families {
      for packet in packets {
        count(packet, on: interface)
        effects.append(.send(packet, on: MulticastLink(interface: interface, family: family), to: .multicast))
      }
    }
    interfaces[interface]!.spend(packets.count * families.count, at: now)
  }

  mutating func count(_ packet: [UInt8], on interface: UInt32) {
    totals.sent[interface, default: ReflectionCounters.Sent()].datagrams += 1
    totals.sent[interface, default: ReflectionCounters.Sent()].bytes += packet.count
  }

  func tell(
    _ subject: Note.Subject, _ direction: ReflectionRules.Direction, _ rule: ReflectionRule?, _ effects: inout [Effect]
  ) {
    if isTelling { effects.append(.note(Note(direction: direction, subject: subject, keptBy: rule))) }
  }
}
