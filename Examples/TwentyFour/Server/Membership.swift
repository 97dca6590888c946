import Bonjourish
import Rooms

/// A server's part in its group, as a value: which matches it stores, suspends, adopts, gives back and records, and when it stops telling
/// points.
///
/// **How it is driven.** Whoever runs it (``GroupMember`` in a server, a simulation in a test) has a ``ServerMachine``, a store of owned values
/// and a ``MatchJournal``, and
///
/// - passes in what the store tells: ``Event/owned(_:stored:)``, ``Event/doubtful(_:)``, ``Event/lost(_:)``, ``Event/failed(_:reason:)`` and
///   ``Event/orphaned(_:_:)``, in order;
/// - passes in ``Event/timePassed`` four times a second;
/// - surveys the server once a second, and when ``Effect/survey`` asks for it: ``Event/seen(_:)`` with the present states of all listed matches,
///   a few at a time (``ServerMachine/running(_:_:at:)``), then ``Event/surveyed(_:)`` (``ServerMachine/survey(of:_:)``);
/// - carries out the effects in order. ``Effect/server(_:)`` goes to ``ServerMachine/answer(_:at:)``, whose host
///   effects are carried out, and whose answer is passed in as ``Event/answered(_:)`` before the next effect and before any other event;
/// - at the end, passes in ``Event/ends``, surveys once more, and waits a while until ``isSettled``. The store leaves the values for others.
///
/// ```
/// func handle(_ event: Membership.Event) {
///   for effect in membership.handle(event, at: now) {
///     if case .server(let request) = effect {
///       let (effects, answer) = server.answer(request, at: now)
///       run(effects)
///       if let answer { handle(.answered(answer)) }
///     } else { run(effect) }
///   }
/// }
/// ```
///
/// **A match** is running here, suspended (its place stays reserved), being taken (a place is reserved before), or over. It is over only when its
/// room says so. Whatever cannot go on here is released for others, or left to them until a place is free.
///
/// **Holding.** What players were told and the store does not have would be undone if another server went on with the match. So a match whose
/// last stored state is older than ``staleness`` is held: nothing happens in it and nothing is told, until what was told is stored. So are all
/// matches of a process that was paused for as long.
struct Membership: Sendable {
  enum Event: Hashable, Sendable {
    /// The present states of some of the matches of the server.
    case seen([RunningMatch])
    /// All matches were passed in.
    case surveyed(Survey)
    /// What the server has done with a request.
    case answered(Answer)
    /// The store has this version of a match, and it is this server's: 0 for one that was just taken.
    case owned(RoomID, stored: UInt64)
    case doubtful(RoomID)
    case lost(RoomID)
    /// The store refuses the last version for ever.
    case failed(RoomID, reason: String)
    /// The server of a match is gone. The state was opened with the group's key.
    case orphaned(RoomID, StoredMatch)
    case timePassed
    /// The server ends. Nothing more is told, so that the last state can be stored.
    case ends
  }

  enum Effect: Hashable, Sendable {
    /// Ask the server, and pass in its answer.
    case server(Request)
    /// Survey the server soon.
    case survey

    // To the store.
    case put(RoomID, StoredMatch)
    case take(RoomID)
    /// Leave an orphan to others.
    case ignore(RoomID)
    /// Let an orphan that was left to others be offered again.
    case reconsider(RoomID)
    /// Give a match up, so that others may take it.
    case release(RoomID)
    case remove(RoomID)

    // To the listings.
    case list(CarriedMatch, [String: String], Succession)
    case unlist(RoomID)

    // To the journal.
    case record(RoomID, through: Int)
    case pause(RoomID)
    case resume(RoomID)
    case forget(RoomID, isClosed: Bool)

    /// Tell the administrator.
    case tell(MatchGroup.Event)
  }

  /// What a server is asked for.
  enum Request: Hashable, Sendable {
    /// Keep a place for a match of another server.
    case reserve(CarriedMatch)
    /// Go on with a match for which a place is kept, and report its last round once more if fewer are recorded.
    case adopt(CarriedMatch, recordedRounds: Int?)
    /// End a match without a word, and keep its place.
    case suspend(RoomID)
    /// End a match without a word if it is here, and keep no place for it.
    case leave(RoomID)
    /// Let nothing happen in a match, and keep what its players send.
    case hold(RoomID)
    /// Handle what was kept.
    case goOn(RoomID)
    /// Note that the clock was looked at. A server that is not asked for ``staleness`` holds all its matches.
    case beat
  }

  /// What a server has done with a request.
  enum Answer: Hashable, Sendable {
    case reserved(RoomID)
    case adopted(RoomID)
    /// There is no place. None is kept.
    case noRoom(RoomID)
    /// The match is damaged, or here already. No place is kept.
    case unusable(RoomID)
    /// The match as it was; nil if it is not here.
    case suspended(RoomID, CarriedMatch?)
    /// The process was paused, so that others may have its matches, and they are held.
    case paused
  }

  /// A match of the server at a time.
  struct RunningMatch: Hashable, Sendable {
    let match: CarriedMatch
    /// Of its advertisement.
    let pairs: [String: String]
    /// The number of its events so far, for the journal.
    let eventCount: Int
  }

  /// What else is to know of a server at a time.
  struct Survey: Hashable, Sendable {
    /// Which of the asked matches are over, with the number of their events.
    var over: [RoomID: Int] = [:]
    /// The number of places for matches of others.
    var freePlaces = 0
    var isDraining = false
  }

  private enum Phase: Hashable {
    /// An orphan for which a place is asked. Goes to `taking`, or is left to others.
    case offered(StoredMatch)
    /// Goes to `running`, or is another server's.
    case taking(StoredMatch)
    /// Goes to `suspended` or `over`.
    case running
    /// Goes to `running`, or is another server's.
    case suspended(CarriedMatch, since: Duration)
    /// Its end is being stored.
    case over
  }

  private struct Kept {
    var phase: Phase
    var serial: UInt64 = 0
    var stored: UInt64 = 0
    /// How many rounds are recorded for certain.
    var recordedRounds = 0
    var succession: Succession
    /// The state that was put last.
    var snapshot: CarriedMatch?
    var pairs: [String: String]?
    /// What is not confirmed.
    var marks: [Mark] = []
    /// The time of the last state that is known to be stored; nil if none is.
    var safe: Duration?
    var heldSince: Duration?
    /// Whether the store refuses the match, so that it goes on without.
    var isRefused = false
  }

  /// A state that was put: how many events had happened, and when.
  private struct Mark {
    let serial: UInt64
    let eventCount: Int
    let endedRounds: Int
    let time: Duration
  }

  private let isInGroup: Bool
  private let makePublisher: @Sendable () -> UInt64
  private var kept: [RoomID: Kept] = [:]
  /// The highest stored serial of each match that was seen, so that no older state is taken for the newest.
  private var seen: [RoomID: UInt64] = [:]
  /// The orphans that wait for a place here, in order.
  private var postponed: [RoomID] = []
  /// Of which of them it was told.
  private var turnedAway: Set<RoomID> = []
  /// Those whose taking the store has refused for ever.
  private var refusedTakes: Set<RoomID> = []
  /// Whether the process was paused, which holds also matches that are not known here yet.
  private var wasPaused = false
  private var isEnding = false
  private var lastSurvey: Duration?
  private var pace: Duration = interval

  /// The time between two surveys, and between two writes of a match.
  static let interval: Duration = .seconds(1)
  /// How much later than it should a state may be stored before its match is held: round trips of 600 ms, and a server that is busy.
  static let slack: Duration = .milliseconds(1_500)
  /// The longest time for which a match is held. Then the store is given up.
  static let holdLimit: Duration = .seconds(60)
  /// The time after which nobody looks for a suspended match any more: players do for as long as their seats are kept.
  static let suspensionLimit: Duration = .seconds(120)
  private static let seenLimit = 65_536
  private static let markLimit = 64
  /// How many orphans are reconsidered at a time, as many as a store offers.
  private static let offers = 8

  /// - Parameters:
  ///   - isInGroup: Without a group, matches are only listed.
  ///   - makePublisher: Makes random numbers that were not used before.
  init(isInGroup: Bool, makePublisher: @escaping @Sendable () -> UInt64 = { .random(in: 1 ... .max) }) {
    self.isInGroup = isInGroup
    self.makePublisher = makePublisher
  }

  /// The age of the last stored state from which a match is held. A server that needs longer for a survey writes less often.
  var staleness: Duration { max(pace, Self.interval) + Self.slack }

  /// The matches of which something is known.
  var rooms: [RoomID] { Array(kept.keys) }

  /// Whether everything is stored that can be.
  var isSettled: Bool {
    !kept.values.contains { match in
      switch match.phase {
      case .running, .over: match.stored < match.serial && !match.isRefused
      case .offered, .taking, .suspended: false
      }
    }
  }

  /// Handles an event, and returns the effects in order.
  ///
  /// - Parameter now: The time since a start; it never decreases.
  mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .seen(let matches): matches.flatMap { seen($0, at: now) }
    case .surveyed(let survey): surveyed(survey, at: now)
    case .answered(let answer): answered(answer, at: now)
    case .owned(let room, let stored): owned(room, stored, at: now)
    case .doubtful(let room): doubtful(room)
    case .lost(let room): lost(room)
    case .failed(let room, let reason): failed(room, reason)
    case .orphaned(let room, let stored): orphaned(room, stored)
    case .timePassed: (isInGroup ? [.server(.beat)] : []) + holdStale(at: now) + giveUpAbandoned(at: now)
    case .ends: end(at: now)
    }
  }
}

// MARK: - Own matches

extension Membership {
  private mutating func seen(_ present: RunningMatch, at now: Duration) -> [Effect] {
    let room = present.match.id
    var effects: [Effect] = []
    if kept[room] == nil {
      kept[room] = Kept(phase: .running, succession: Succession(publisher: makePublisher()))
      // It was never stored, so nobody else can have it.
      if wasPaused { effects.append(.server(.goOn(room))) }
    }
    guard var match = kept[room], match.phase == .running else { return [] }
    if match.pairs != present.pairs {
      match.pairs = present.pairs
      effects.append(.list(present.match, present.pairs, match.succession))
    }
    guard isInGroup else {
      kept[room] = match
      return effects
    }
    let isChanged = match.snapshot != present.match
    match.snapshot = present.match
    kept[room] = match
    if isChanged { return effects + put(present.match, room, present.eventCount, at: now) }
    // Everything up to now is stored.
    return effects + (match.stored == match.serial ? secured(room, as: now, at: now) : [])
  }

  private mutating func put(_ match: CarriedMatch?, _ room: RoomID, _ eventCount: Int, at now: Duration) -> [Effect] {
    guard var known = kept[room] else { return [] }
    known.serial += 1
    // Of many that are not confirmed, the first are not needed: later ones stand for them.
    if known.marks.count >= Self.markLimit { known.marks.removeFirst() }
    let endedRounds = match?.room.endedRounds ?? known.recordedRounds
    known.marks.append(Mark(serial: known.serial, eventCount: eventCount, endedRounds: endedRounds, time: now))
    kept[room] = known
    let stored = StoredMatch(
      serial: known.serial, publisher: known.succession.publisher, match: match, recordedRounds: known.recordedRounds)
    return [.put(room, stored)]
  }

  private mutating func surveyed(_ survey: Survey, at now: Duration) -> [Effect] {
    if let lastSurvey { pace = min(now - lastSurvey, Self.interval * 10) }
    lastSurvey = now
    var effects: [Effect] = []
    for (room, eventCount) in survey.over.sorted(by: { $0.key.text < $1.key.text }) {
      effects += over(room, eventCount, at: now)
    }
    if survey.isDraining { return effects + giveBackTaken() }
    guard survey.freePlaces > 0 else { return effects }
    // Some of them may have been taken by others.
    effects += postponed.prefix(Self.offers).map { .reconsider($0) }
    postponed.removeFirst(min(Self.offers, postponed.count))
    return effects
  }

  /// Ends what is over. Its value is removed when the end is stored. It is recorded before: who hears of the end cannot record it any
  /// more, and if nobody does, the last round is played and recorded again.
  private mutating func over(_ room: RoomID, _ eventCount: Int, at now: Duration) -> [Effect] {
    guard let match = kept[room] else {
      // It was over before it was stored: no other server can have had it.
      return [.record(room, through: .max), .forget(room, isClosed: false)]
    }
    guard match.phase == .running else { return [] }
    guard isInGroup else {
      kept[room] = nil
      return [.unlist(room)]
    }
    kept[room]!.phase = .over
    return [.unlist(room), .record(room, through: eventCount)] + put(nil, room, eventCount, at: now)
  }

  private mutating func remove(_ room: RoomID) -> [Effect] {
    kept[room] = nil
    note(room, .max)
    return [.remove(room)]
  }

  private mutating func note(_ room: RoomID, _ serial: UInt64) {
    if seen.count >= Self.seenLimit, seen[room] == nil {
      for room in seen.keys.prefix(Self.seenLimit / 2) where kept[room] == nil { seen[room] = nil }
    }
    seen[room] = max(seen[room] ?? 0, serial)
  }
}

// MARK: - Holding

extension Membership {
  private mutating func end(at now: Duration) -> [Effect] {
    isEnding = true
    return hold(kept.keys.filter { kept[$0]?.phase == .running }, at: now)
  }

  /// Notes that everything told up to a time is stored.
  private mutating func secured(_ room: RoomID, as time: Duration, at now: Duration) -> [Effect] {
    guard let match = kept[room] else { return [] }
    guard let heldSince = match.heldSince else {
      kept[room]!.safe = max(match.safe ?? time, time)
      return []
    }
    guard !isEnding, time >= heldSince || now - time < staleness else { return [] }
    // Nothing was told since it is held.
    kept[room]!.safe = time >= heldSince ? now : time
    kept[room]!.heldSince = nil
    return [.server(.goOn(room))]
  }

  private mutating func holdStale(at now: Duration) -> [Effect] {
    let stale = kept.filter { _, match in
      match.phase == .running && !match.isRefused && match.heldSince == nil && match.safe.map { now - $0 >= staleness } ?? false
    }
    let frozen = kept.filter { _, match in
      match.phase == .running && match.heldSince.map { now - $0 >= Self.holdLimit } ?? false
    }
    return hold(Array(stale.keys), at: now)
      + frozen.keys.sorted { $0.text < $1.text }.flatMap { failed($0, "the directory has not confirmed it for a minute") }
  }

  /// All matches are held. Those that no other server can have go on.
  private mutating func paused(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    wasPaused = true
    for (room, match) in kept.sorted(by: { $0.key.text < $1.key.text }) {
      guard match.phase == .running, match.heldSince == nil else { continue }
      if match.safe == nil || match.isRefused { effects.append(.server(.goOn(room))) } else { kept[room]!.heldSince = now }
    }
    return effects
  }

  private mutating func hold(_ rooms: [RoomID], at now: Duration) -> [Effect] {
    guard isInGroup else { return [] }
    return rooms.sorted { $0.text < $1.text }.compactMap { room in
      guard kept[room]?.heldSince == nil else { return nil }
      kept[room]!.heldSince = now
      return .server(.hold(room))
    }
  }
}

// MARK: - The store

extension Membership {
  private mutating func owned(_ room: RoomID, _ stored: UInt64, at now: Duration) -> [Effect] {
    guard let match = kept[room] else { return isInGroup ? [.release(room)] : [] }
    switch match.phase {
    case .offered: return []
    case .taking(let taken):
      // Over: its server has died before it removed it.
      guard let carried = taken.match else { return remove(room) }
      return [.server(.adopt(carried, recordedRounds: taken.recordedRounds))]
    case .running: return confirmed(room, stored, at: now)
    case .suspended(let carried, _):
      // What is due meanwhile happens when it is adopted, and is recorded.
      return confirmed(room, stored, at: now) + [.resume(room), .server(.adopt(carried, recordedRounds: nil))]
    case .over:
      let effects = confirmed(room, stored, at: now)
      guard stored >= match.serial else { return effects }
      return effects + [.forget(room, isClosed: false)] + remove(room)
    }
  }

  private mutating func confirmed(_ room: RoomID, _ stored: UInt64, at now: Duration) -> [Effect] {
    guard let match = kept[room] else { return [] }
    note(room, stored)
    kept[room]!.isRefused = false
    kept[room]!.stored = max(match.stored, stored)
    let marks = match.marks.prefix { $0.serial <= stored }
    kept[room]!.marks.removeFirst(marks.count)
    guard let last = marks.last else { return [] }
    kept[room]!.recordedRounds = last.endedRounds
    return [.record(room, through: last.eventCount)] + secured(room, as: last.time, at: now)
  }

  private func doubtful(_ room: RoomID) -> [Effect] {
    guard kept[room]?.phase == .running else { return [] }
    // What is not written down while another may write it is not told either.
    return [.pause(room), .server(.suspend(room))]
  }

  private mutating func lost(_ room: RoomID) -> [Effect] {
    guard let match = kept.removeValue(forKey: room) else { return [] }
    let name: String?
    switch match.phase {
    case .offered, .taking: return [.server(.leave(room))]
    case .running, .over: name = match.snapshot?.name
    case .suspended(let carried, _): name = carried.name
    }
    return [.pause(room), .server(.leave(room)), .forget(room, isClosed: true), .unlist(room)]
      + (name.map { [.tell(.lost($0))] } ?? [])
  }

  private mutating func failed(_ room: RoomID, _ reason: String) -> [Effect] {
    guard let match = kept[room] else { return [] }
    let told = Effect.tell(.unusable(room.text, reason: reason))
    switch match.phase {
    case .running:
      let isHeld = match.heldSince != nil
      kept[room]!.isRefused = true
      kept[room]!.heldSince = nil
      // A new state is put, and refused, each second.
      return (match.isRefused ? [] : [told]) + (isHeld ? [.server(.goOn(room))] : [])
    // Its end cannot be stored, but the match is this server's, and can be removed.
    case .over: return [told, .record(room, through: .max), .forget(room, isClosed: false)] + remove(room)
    case .taking:
      kept[room] = nil
      if refusedTakes.count >= Self.seenLimit { refusedTakes = [] }
      refusedTakes.insert(room)
      return [told, .server(.leave(room)), .release(room)]
    case .offered, .suspended: return [told]
    }
  }

  /// Leaves suspended matches to others whose players look for them no more.
  private mutating func giveUpAbandoned(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for room in kept.keys.sorted(by: { $0.text < $1.text }) {
      guard case .suspended(let carried, let since)? = kept[room]?.phase, now - since >= Self.suspensionLimit else { continue }
      effects += release(room, carried.name)
    }
    return effects
  }

  private mutating func release(_ room: RoomID, _ name: String) -> [Effect] {
    kept[room] = nil
    return [.server(.leave(room)), .release(room), .forget(room, isClosed: true), .unlist(room), .tell(.released(name))]
  }
}

// MARK: - The matches of others

extension Membership {
  private mutating func orphaned(_ room: RoomID, _ stored: StoredMatch) -> [Effect] {
    guard stored.serial >= seen[room] ?? 0 else {
      return [.ignore(room), .tell(.unusable(room.text, reason: "it is older than what was seen of this match"))]
    }
    guard !isEnding, kept[room] == nil, !refusedTakes.contains(room) else { return [.ignore(room)] }
    note(room, stored.serial)
    guard let carried = stored.match else {
      kept[room] = Kept(phase: .taking(stored), succession: Succession(publisher: makePublisher()))
      return [.take(room)]
    }
    let succession = Succession(publisher: makePublisher(), after: stored.publisher)
    kept[room] = Kept(phase: .offered(stored), serial: stored.serial, stored: stored.serial, succession: succession)
    return [.server(.reserve(carried))]
  }

  private mutating func answered(_ answer: Answer, at now: Duration) -> [Effect] {
    switch answer {
    case .reserved(let room):
      guard case .offered(let stored)? = kept[room]?.phase else { return [.server(.leave(room))] }
      kept[room]!.phase = .taking(stored)
      return [.take(room)]
    case .adopted(let room): return adopted(room, at: now)
    case .paused: return paused(at: now)
    case .noRoom(let room): return refused(room, hasRoom: false)
    case .unusable(let room): return refused(room, hasRoom: true)
    // It is over.
    case .suspended(let room, nil): return [.resume(room)]
    case .suspended(let room, let carried?):
      guard kept[room]?.phase == .running else { return [] }
      kept[room]!.phase = .suspended(carried, since: now)
      return [.tell(.suspended(carried.name))]
    }
  }

  private mutating func adopted(_ room: RoomID, at now: Duration) -> [Effect] {
    guard let match = kept[room] else { return [.server(.leave(room))] }
    kept[room]!.phase = .running
    switch match.phase {
    case .taking(let stored):
      turnedAway.remove(room)
      kept[room]!.safe = now
      kept[room]!.recordedRounds = stored.recordedRounds ?? stored.match?.room.endedRounds ?? 0
      // Written and listed at once, so that whoever comes next knows who lists it.
      return [.tell(.adopted(stored.match?.name ?? room.text)), .survey]
    case .suspended(let carried, _):
      let held: [Effect] = match.heldSince == nil ? [] : [.server(.hold(room))]
      return held + [.tell(.resumed(carried.name)), .survey]
    case .offered, .running, .over: return []
    }
  }

  /// The server has no place for a match, or cannot go on with it.
  private mutating func refused(_ room: RoomID, hasRoom: Bool) -> [Effect] {
    switch kept[room]?.phase {
    case .offered:
      kept[room] = nil
      guard !hasRoom else { return [.ignore(room), .tell(.unusable(room.text, reason: "it is damaged"))] }
      if postponed.count < Self.seenLimit, !postponed.contains(room) { postponed.append(room) }
      if turnedAway.count >= Self.seenLimit { turnedAway = [] }
      guard turnedAway.insert(room).inserted else { return [.ignore(room)] }
      return [.ignore(room), .tell(.unusable(room.text, reason: "there is no place for it here at present"))]
    case .taking(let stored): return release(room, stored.match?.name ?? room.text)
    case .suspended(let carried, _): return release(room, carried.name)
    case .running, .over, nil: return []
    }
  }

  /// A server that drains takes nothing any more.
  private mutating func giveBackTaken() -> [Effect] {
    var effects: [Effect] = []
    for room in kept.keys.sorted(by: { $0.text < $1.text }) {
      guard case .taking(let stored)? = kept[room]?.phase, stored.match != nil else { continue }
      kept[room] = nil
      effects += [.server(.leave(room)), .release(room)]
    }
    return effects
  }
}
