import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What every datagram of every host must be like, whatever happens: header, sections, size, whose records, and how often.
struct WireRules {
  private struct Place: Hashable {
    let host: Int
    let link: MulticastLink
  }

  /// How long after a probe answers to it may be sent.
  private static let defence: Duration = .seconds(1)

  /// Whether several processes share a host. Those that do not publish its addresses may tell them beside others, without the
  /// cache-flush bit.
  let allowsGuests: Bool
  /// When each record was last multicast.
  private var sent: [Place: [RecordIdentity: Duration]] = [:]
  /// When a name was last probed for, by anybody.
  private var probed: [DNSName: Duration] = [:]

  init(allowsGuests: Bool = false) {
    self.allowsGuests = allowsGuests
  }

  /// What is wrong with a datagram that is sent.
  mutating func faults(
    of message: DNSMessage, bytes: Int, from host: VirtualHost, on link: MulticastLink,
    to destination: MulticastEngine.Destination, at now: Duration
  ) -> [String] {
    guard let interface = host.interfaces.first(where: { $0.number == link.interface }) else { return ["sent on no interface"] }
    let isMulticast = destination == .multicast
    var faults = message.isResponse ? response(message, on: interface) : query(message, isMulticast: isMulticast)
    if message.id != 0 { faults.append("ID \(message.id)") }
    if bytes > MessagePacker.limit(mtu: interface.mtu) { faults.append("\(bytes) bytes") }
    if message.isResponse, isMulticast {
      faults += tooOften(message, Place(host: host.index, link: link), at: now)
    } else {
      for record in message.authorities { probed[record.name] = now }
    }
    return faults.map { "host \(host.index) sends \($0) on \(link.interface) over \(link.family)" }
  }

  /// RFC 6762 §5, §7.1, §8.1, §18.
  private func query(_ message: DNSMessage, isMulticast: Bool) -> [String] {
    var faults: [String] = []
    if !isMulticast { faults.append("a question by unicast") }
    if message.questions.isEmpty && message.answers.isEmpty { faults.append("an empty query") }
    if !message.additionals.isEmpty { faults.append("additional records with a question") }
    if message.questions.contains(where: \.wantsUnicast) { faults.append("a question for unicast") }
    if (message.answers + message.authorities).contains(where: { $0.cacheFlush || $0.timeToLive == 0 }) {
      faults.append("a known answer or a proposal with the cache-flush bit or without time to live")
    }
    let names = Set(message.questions.lazy.filter { $0.type == .any }.map(\.name))
    if message.authorities.contains(where: { !names.contains($0.name) }) { faults.append("a proposal without its question") }
    return faults
  }

  /// RFC 6762 §6, §6.2, §10, §10.2, §18.
  private func response(_ message: DNSMessage, on interface: VirtualInterface) -> [String] {
    var faults: [String] = []
    if !message.questions.isEmpty || !message.authorities.isEmpty || message.isTruncated {
      faults.append("a response with questions, authorities or the TC bit")
    }
    if message.answers.isEmpty { faults.append("a response without answers") }
    for record in message.answers + message.additionals {
      let isReversePointer = record.type == .ptr && record.name.isForReverseMapping
      let isUnique = record.type != .ptr || isReversePointer
      let isGuests = allowsGuests && [.a, .aaaa].contains(record.type) && !message.answers.contains(record)
      if record.cacheFlush != isUnique, !isGuests { faults.append("\(record.name) with cache-flush bit \(record.cacheFlush)") }
      guard record.timeToLive != 0 else { continue }
      let timeToLive = isReversePointer ? 120 : record.type.timeToLive
      if record.timeToLive != timeToLive { faults.append("\(record.name) for \(record.timeToLive) s") }
      if case .address(let address) = record.data, !interface.published.contains(address) {
        faults.append("\(address), which is not one of the interface,")
      }
      if isReversePointer, !interface.published.contains(where: { DNSName(reverseOf: $0) == record.name }) {
        faults.append("\(record.name), whose address is not one of the interface,")
      }
    }
    return faults
  }

  /// RFC 6762 §6: once a second, and after a quarter of a second for a probe.
  private mutating func tooOften(_ message: DNSMessage, _ place: Place, at now: Duration) -> [String] {
    var faults: [String] = []
    for record in message.answers + message.additionals {
      let identity = RecordIdentity(record)
      if record.timeToLive == 0 {
        // What is published once more after a goodbye is new: it is probed for.
        sent[place]?[identity] = nil
        continue
      }
      guard let last = sent[place, default: [:]].updateValue(now, forKey: identity) else { continue }
      let isDefended = probed[record.name].map { now - $0 <= Self.defence } ?? false
      if now - last < (isDefended ? .milliseconds(250) : .seconds(1)) {
        faults.append("\(identity.summary) again after \(now - last)")
      }
    }
    return faults
  }
}
