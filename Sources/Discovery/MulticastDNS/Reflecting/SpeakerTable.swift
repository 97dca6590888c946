import _BonjourishDiscovery

/// Those who say records: which of them are one host, and which repeat what others say.
///
/// - A host is known by its name. It has told its name if it says an address of that name from which it speaks itself, or speaks from
///   a link-local IPv6 address, which many do not publish, and the address that it says is in the network of the link.
/// - A reflector says on one link the address of a host that was said a moment before on another. Datagrams get lost and overtake
///   each other, so a host can seem to come after a reflector. Who comes after others more often than before them repeats them.
struct SpeakerTable {
  struct Speaker {
    let id: Int
    /// Whether the host has told its name.
    let isNamed: Bool

    /// Whether two are one host, as far as that is known.
    func isSame(as other: Speaker) -> Bool { id == other.id }
  }

  private struct Standing {
    /// How much more often it came after others than before them.
    var lateness: Int
    /// The last datagram that counted.
    var counted: Instant
    var expires: Instant
  }

  private struct SourceKey: Hashable {
    let address: IPAddress
    let interface: UInt32
  }

  /// For so many milliseconds it is known how somebody stands.
  private static let memory: Int64 = 600_000
  private static let mostLateness = 8

  /// The names of hosts, by the addresses from which they speak.
  private var names = Generations<SourceKey, Int>(limit: 2_048)
  private var standings = Generations<Int, Standing>(limit: 1_024)
  /// How often a reflector was noticed that was not known as one.
  private(set) var repeaterCount = 0

  subscript(source: MulticastSource) -> Speaker {
    let key = SourceKey(address: source.address, interface: source.link.interface)
    let name = names[key]
    return Speaker(id: name ?? key.hashValue, isNamed: name != nil)
  }

  /// Notes the name that a host gives itself.
  ///
  /// - Parameter networks: The addresses of this machine on the link.
  mutating func learn(_ record: DNSRecord, from source: MulticastSource, in networks: LinkAddresses) {
    guard case .address(let address) = record.data, record.timeToLive > 0 else { return }
    let isHidden = source.address.family == .ipv6 && source.address.isLinkLocal
    guard address == source.address || (isHidden && !address.isLinkLocal && networks.areOnLink(with: address)) else { return }
    names[SourceKey(address: source.address, interface: source.link.interface)] = record.name.digest
  }

  /// Whether somebody repeats what others say.
  func isRepeater(_ speaker: Speaker, at now: Instant) -> Bool {
    standings[speaker.id].map { $0.lateness > 0 && $0.expires > now } ?? false
  }

  /// Whether somebody repeats what others say. If so, it is known for as long again.
  mutating func renewRepeater(_ speaker: Speaker, at now: Instant) -> Bool {
    guard isRepeater(speaker, at: now) else { return false }
    standings[speaker.id]!.expires = now + Self.memory
    return true
  }

  /// Notes that somebody has said an address on one link that another has said on another link a moment before. A datagram counts
  /// once, however many addresses it has.
  mutating func note(_ speaker: Speaker, after first: Speaker, at now: Instant) {
    guard !speaker.isSame(as: first), standings[speaker.id]?.counted != now else { return }
    let wasRepeater = isRepeater(speaker, at: now)
    for (one, change) in [(speaker, 1), (first, -1)] {
      let last = standings[one.id].flatMap { $0.expires > now ? $0.lateness : nil } ?? 0
      let lateness = min(max(last + change, -Self.mostLateness), Self.mostLateness)
      standings[one.id] = Standing(lateness: lateness, counted: now, expires: now + Self.memory)
    }
    if !wasRepeater, isRepeater(speaker, at: now) { repeaterCount += 1 }
  }
}
