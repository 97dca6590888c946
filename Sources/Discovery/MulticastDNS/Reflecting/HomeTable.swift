import _BonjourishDiscovery

/// The links on which names live, as far as that was heard: a record crosses from its home only. So what another reflector has
/// carried over does not come back, and is not taken for a sign that its owner still lives.
struct HomeTable {
  enum Place: Equatable {
    /// It was heard where it lives.
    case home
    /// It lives elsewhere.
    case elsewhere
  }

  private struct Home {
    var interface: UInt32
    /// Who said so first.
    var speaker: Int
    var confirmed: Instant
    var expires: Instant
    /// Another link on which somebody has begun to say the same, and when.
    var move: (interface: UInt32, speaker: Int, since: Instant)?
    /// The other interfaces of the same host.
    var others: [UInt32: Instant] = [:]
  }

  private struct Carried: Hashable {
    let name: Int
    let interface: UInt32
  }

  private struct SourceKey: Hashable {
    let address: IPAddress
    let interface: UInt32
  }

  /// What comes within so many milliseconds after the owner's own words is a repetition.
  private static let repetition: Int64 = 1000
  /// A host has moved if its old link was silent between two of its words on the new one. Two announcements are a second apart
  /// (RFC 6762 §8.3).
  private static let moving: Int64 = 900
  /// What was carried to a link may still come back from there after so many milliseconds.
  private static let returning: Int64 = 10_000
  /// A reflector counts as one for ten minutes after it was last noticed.
  private static let memory: Int64 = 600_000
  /// The longest time for which a name has a home, in seconds.
  private static let longest: UInt32 = 86_400

  private var homes = Generations<Int, Home>(limit: 16_384)
  private var carried = Generations<Carried, Instant>(limit: 16_384)
  /// The names of the hosts that say their own addresses.
  private var hosts = Generations<SourceKey, Int>(limit: 2_048)
  private var repeaters = Generations<Int, Instant>(limit: 256)
  /// How often a reflector was noticed that was not known as one.
  private(set) var repeaterCount = 0

  // MARK: - Speakers

  /// Notes which name a host gives the address from which it speaks. With an interface in each of two links, it is one host.
  mutating func learnHost(from record: DNSRecord, _ source: MulticastSource) {
    guard case .address(let address) = record.data, address == source.address, record.timeToLive > 0 else { return }
    hosts[SourceKey(address: address, interface: source.link.interface)] = record.name.digest
  }

  private func speaker(_ source: MulticastSource) -> Int {
    let key = SourceKey(address: source.address, interface: source.link.interface)
    return hosts[key] ?? key.hashValue
  }

  /// Whether a host is known to repeat what others say.
  func isRepeater(_ source: MulticastSource, at now: Instant) -> Bool { isRepeater(speaker(source), at: now) }

  private func isRepeater(_ speaker: Int, at now: Instant) -> Bool { repeaters[speaker].map { $0 > now } ?? false }

  private mutating func noteRepeater(_ speaker: Int, at now: Instant) {
    if !isRepeater(speaker, at: now) { repeaterCount += 1 }
    repeaters[speaker] = now + Self.memory
  }

  // MARK: - Names

  /// The name by which a record belongs to somebody; nil for one that says that a type exists, which is nobody's.
  static func key(of record: DNSRecord) -> DNSName? {
    guard case .ptr(let target) = record.data else { return record.name }
    return ReflectedName(record.name) == .types ? nil : target
  }

  /// The interface on which a name lives; nil if that is not known.
  func home(of name: DNSName, at now: Instant) -> UInt32? {
    homes[name.digest].flatMap { $0.expires > now ? $0.interface : nil }
  }

  /// Whether the host that owns a name has an interface in another link too, and says the name there itself.
  func isAlso(_ name: DNSName, on interface: UInt32, at now: Instant) -> Bool {
    homes[name.digest]?.others[interface].map { $0 > now } ?? false
  }

  /// Notes that a record was carried to a link.
  mutating func noteCarrying(_ name: DNSName, to interface: UInt32, at now: Instant) {
    carried[Carried(name: name.digest, interface: interface)] = now
  }

  /// Notes a record that was heard.
  ///
  /// - Parameters:
  ///   - name: The name by which it belongs to somebody.
  ///   - record: The record.
  ///   - source: The sender.
  mutating func hear(_ name: DNSName, _ record: DNSRecord, from source: MulticastSource, at now: Instant) -> Place {
    let (speaker, interface) = (speaker(source), source.link.interface)
    let lifetime = Int64(min(record.timeToLive, Self.longest)) * 1000
    guard var home = homes[name.digest], home.expires > now else {
      // A goodbye says nothing of where something lives.
      if lifetime > 0 {
        homes[name.digest] = Home(interface: interface, speaker: speaker, confirmed: now, expires: now + lifetime)
      }
      return .home
    }
    if home.interface == interface {
      guard speaker == home.speaker || !isRepeater(speaker, at: now) else { return .elsewhere }
      if let move = home.move, now - move.since <= Self.repetition, move.speaker != speaker {
        noteRepeater(move.speaker, at: now)
      }
      home.confirmed = now
      home.move = nil
      home.expires = lifetime == 0 && record.isPresence ? now + 1000 : max(home.expires, now + lifetime)
      homes[name.digest] = home
      return .home
    }
    let place = hear(&home, speaker, on: interface, name.digest, lifetime, now)
    homes[name.digest] = home
    return place
  }

  /// Notes a record that was heard on another link than its home.
  private mutating func hear(
    _ home: inout Home, _ speaker: Int, on interface: UInt32, _ name: Int, _ lifetime: Int64, _ now: Instant
  ) -> Place {
    let isSameHost = speaker == home.speaker
    if isSameHost, now - home.confirmed < 2 * Self.repetition || home.others[interface].map({ $0 > now }) == true {
      home.others[interface] = now + lifetime
      return .elsewhere
    }
    if now - home.confirmed < Self.repetition || isRepeater(speaker, at: now) {
      noteRepeater(speaker, at: now)
      return .elsewhere
    }
    guard lifetime > 0, !wasCarried(name, to: interface, now) else { return .elsewhere }
    guard let move = home.move, move.interface == interface else {
      home.move = (interface, speaker, now)
      return .elsewhere
    }
    guard now - move.since >= Self.moving else { return .elsewhere }
    home = Home(interface: interface, speaker: speaker, confirmed: now, expires: now + lifetime)
    return .home
  }

  private func wasCarried(_ name: Int, to interface: UInt32, _ now: Instant) -> Bool {
    carried[Carried(name: name, interface: interface)].map { now - $0 < Self.returning } ?? false
  }
}

extension DNSRecord {
  /// Whether its goodbye says that an instance or a host is gone, and not only one of its properties.
  fileprivate var isPresence: Bool {
    switch data {
    case .ptr, .srv: true
    case .address, .txt, .nsec, .cname, .hinfo, .other: false
    }
  }
}
