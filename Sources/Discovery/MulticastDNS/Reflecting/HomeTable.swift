import _BonjourishDiscovery

/// The links on which names live, as far as that was heard. A record crosses from the home of its name, to links on which the name does
/// not live too. So what another reflector has carried over does not come back, and is not taken for a sign that its owner still lives.
///
/// - The home of a name is the link on which it was heard first, and its owner who said it there. It has a home as long as the times
///   to live last that were heard there, or until a goodbye.
/// - It lives on another link too if its owner says it there at the same time, or probed for it on both at the same time: a host with an
///   interface in each. That is known for hours after it was heard, because hosts are silent as long as nobody asks, and an address
///   that is carried to where its owner has another makes the owner take another name. The owner has left a link if it was asked
///   there three times within seconds, and has answered on another link alone.
/// - Who else says the name on another link repeats it, if that is within a second after the home's word or within ten seconds
///   after it was carried there.
/// - The name has moved if somebody says it there twice while its home is silent. It moves at once from a reflector, which was heard
///   first because the original was lost.
struct HomeTable {
  enum Place: Equatable {
    /// It was heard where it lives.
    case home
    /// It lives elsewhere.
    case elsewhere
  }

  /// A record that was heard.
  struct Word {
    let record: DNSRecord
    /// The name by which it belongs to somebody.
    let name: DNSName
    let source: MulticastSource
    /// For an address, the other links on which it was said a moment before.
    var said: [UInt32] = []
    /// The other links on which it was asked for within a second.
    var asked: [UInt32] = []

    fileprivate var interface: UInt32 { source.link.interface }
    /// In milliseconds.
    fileprivate var lifetime: Int64 { Int64(min(record.timeToLive, HomeTable.longest)) * 1000 }
  }

  private struct Home {
    let interface: UInt32
    var owner: SpeakerTable.Speaker
    var confirmed: Instant
    var expires: Instant
    /// The last word on another link.
    var away: Away?
  }

  private struct Away {
    let interface: UInt32
    let speaker: SpeakerTable.Speaker
    /// When the words began that show that it has moved; nil if they do not.
    var since: Instant?
  }

  /// A name on a link.
  private struct PlaceKey: Hashable {
    let name: Int
    let interface: UInt32
  }

  private struct Presence {
    var heard: Instant
    /// How often the owner answered elsewhere alone since, although it was asked here.
    var misses = 0
    var lastMiss: Instant?
  }

  /// What comes within so many milliseconds after the home's word is a repetition.
  private static let repetition: Int64 = 1000
  /// A host has moved if its old link was silent between two of its words on the new one. Two announcements are a second apart
  /// (RFC 6762 §8.3).
  private static let moving: Int64 = 900
  /// A host has left a link if it did not answer three questions there, with no more than so many milliseconds between them: those
  /// who get no answer ask again after one second, and after twice the time as before (RFC 6762 §5.2).
  private static let mostMisses = 3
  private static let leaving: Int64 = 10_000
  /// What was carried to a link may still come back from there after so many milliseconds.
  private static let returning: Int64 = 10_000
  /// It is known for so many milliseconds that a name lives on several links.
  private static let memory: Int64 = 4 * 3_600_000
  /// The longest time for which a name has a home, in seconds.
  private static let longest: UInt32 = 86_400

  private var homes = Generations<Int, Home>(limit: 16_384)
  private var carried = Generations<PlaceKey, Instant>(limit: 16_384)
  /// The names that live on several links, with each of these links.
  private var presences = Generations<PlaceKey, Presence>(limit: 4_096)
  var speakers = SpeakerTable()

  // MARK: - Reading

  /// The name by which a record belongs to somebody; nil for one that says that a type exists, which is nobody's.
  static func key(of record: DNSRecord) -> DNSName? {
    guard case .ptr(let target) = record.data else { return record.name }
    return ReflectedName(record.name) == .types ? nil : target
  }

  /// Whether a name lives on a link.
  func lives(_ name: DNSName, on interface: UInt32, at now: Instant) -> Bool {
    homes[name.digest].map { $0.expires > now && $0.interface == interface } == true || isAlso(name, on: interface, at: now)
  }

  /// Whether the host that owns a name has interfaces in several links, and this is one of them.
  func isAlso(_ name: DNSName, on interface: UInt32, at now: Instant) -> Bool {
    presence(PlaceKey(name: name.digest, interface: interface), now) != nil
  }

  private func presence(_ key: PlaceKey, _ now: Instant) -> Presence? {
    presences[key].flatMap { now - $0.heard < Self.memory ? $0 : nil }
  }

  private func wasCarried(_ word: Word, _ now: Instant) -> Bool {
    carried[PlaceKey(name: word.name.digest, interface: word.interface)].map { now - $0 < Self.returning } ?? false
  }

  // MARK: - Hearing

  /// Notes that a record was carried to a link.
  mutating func noteCarrying(_ name: DNSName, to interface: UInt32, at now: Instant) {
    carried[PlaceKey(name: name.digest, interface: interface)] = now
  }

  /// Notes that the host that owns a name has an interface in each of several links.
  mutating func noteHost(_ name: DNSName, on interfaces: [UInt32], at now: Instant) {
    for interface in interfaces {
      presences[PlaceKey(name: name.digest, interface: interface)] = Presence(heard: now)
    }
  }

  /// Notes a record that was heard, and tells whether that was where it lives.
  mutating func hear(_ word: Word, at now: Instant) -> Place {
    let speaker = speakers[word.source]
    let name = word.name.digest
    guard var home = homes[name], home.expires > now else {
      // A goodbye says nothing of where something lives, and may come back.
      guard word.lifetime > 0 else { return wasCarried(word, now) ? .elsewhere : .home }
      // What a reflector still says of a host that was elsewhere and has crashed.
      if let last = homes[name], last.interface != word.interface, speakers.isRepeater(speaker, at: now) { return .elsewhere }
      var home = Home(interface: word.interface, owner: speaker, confirmed: now, expires: now + word.lifetime)
      notePresence(word, of: &home, speaker, now)
      homes[name] = home
      return .home
    }
    notePresence(word, of: &home, speaker, now)
    let place = word.interface == home.interface ? hearAtHome(word, &home, speaker, now) : hearAway(word, &home, speaker, now)
    homes[name] = home
    return place
  }

  private mutating func hearAtHome(
    _ word: Word, _ home: inout Home, _ speaker: SpeakerTable.Speaker, _ now: Instant
  ) -> Place {
    guard speaker.isSame(as: home.owner) || !speakers.isRepeater(speaker, at: now) else { return .elsewhere }
    if let away = home.away, word.said.contains(away.interface) {
      speakers.note(speaker, after: away.speaker, at: now)
    }
    if speaker.isNamed { home.owner = speaker }
    home.confirmed = now
    home.away?.since = nil
    home.expires = word.lifetime == 0 && word.record.isPresence ? now + 1000 : max(home.expires, now + word.lifetime)
    return .home
  }

  private mutating func hearAway(
    _ word: Word, _ home: inout Home, _ speaker: SpeakerTable.Speaker, _ now: Instant
  ) -> Place {
    let silence = now - home.confirmed
    if speaker.isSame(as: home.owner) {
      if isAlso(word.name, on: word.interface, at: now) { return .elsewhere }
      if silence < 2 * Self.repetition {
        if word.lifetime > 0 { noteHost(word.name, on: [home.interface, word.interface], at: now) }
        return .elsewhere
      }
    }
    if word.said.contains(home.interface) { speakers.note(speaker, after: home.owner, at: now) }
    var since = home.away.flatMap { $0.interface == word.interface ? $0.since : nil }
    defer { home.away = Away(interface: word.interface, speaker: speaker, since: since) }
    guard !speakers.renewRepeater(speaker, at: now), word.lifetime > 0, !wasCarried(word, now) else { return .elsewhere }
    if !speakers.isRepeater(home.owner, at: now) {
      guard silence >= Self.repetition else { return .elsewhere }
      let begin = since ?? now
      since = begin
      guard now - begin >= Self.moving else { return .elsewhere }
    }
    since = nil
    home = Home(interface: word.interface, owner: speaker, confirmed: now, expires: now + word.lifetime)
    return .home
  }

  /// Notes where the owner of a name that lives on several links has spoken, and where it did not answer.
  private mutating func notePresence(
    _ word: Word, of home: inout Home, _ speaker: SpeakerTable.Speaker, _ now: Instant
  ) {
    let key = PlaceKey(name: word.name.digest, interface: word.interface)
    guard presence(key, now) != nil, !speakers.isRepeater(speaker, at: now), word.lifetime > 0 else { return }
    presences[key] = Presence(heard: now)
    guard speaker.isSame(as: home.owner) else { return }
    for interface in word.asked {
      let other = PlaceKey(name: key.name, interface: interface)
      guard var presence = presence(other, now), now - presence.heard >= Self.repetition else { continue }
      if let last = presence.lastMiss {
        // One answer has several records.
        if now - last < Self.repetition / 2 { continue }
        if now - last > Self.leaving { presence.misses = 0 }
      }
      presence.misses += 1
      presence.lastMiss = now
      presences[other] = presence.misses < Self.mostMisses ? presence : nil
      guard presence.misses == Self.mostMisses, interface == home.interface else { continue }
      home = Home(interface: word.interface, owner: speaker, confirmed: now, expires: now + word.lifetime)
    }
  }
}

extension DNSRecord {
  /// Whether its goodbye says that an instance or a host is gone, and not only one of its properties.
  fileprivate var isPresence: Bool {
    switch data {
    case .ptr: if case .type = ReflectedName(name) { true } else { false }
    case .srv: true
    case .address, .txt, .nsec, .cname, .hinfo, .other: false
    }
  }
}
