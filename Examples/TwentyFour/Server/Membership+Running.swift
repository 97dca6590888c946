import Bonjourish
import Rooms

/// The matches that run here.
extension Membership {
  mutating func seen(_ present: RunningMatch, at now: Duration) -> [Effect] {
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
      effects.append(.advertise(present.match, present.pairs, match.succession))
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

  mutating func put(_ match: CarriedMatch?, _ room: RoomID, _ eventCount: Int, at now: Duration) -> [Effect] {
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

  mutating func surveyed(_ survey: Survey, at now: Duration) -> [Effect] {
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
  mutating func over(_ room: RoomID, _ eventCount: Int, at now: Duration) -> [Effect] {
    guard let match = kept[room] else {
      // It was over before it was stored: no other server can have had it.
      return [.record(room, through: .max), .forget(room, isClosed: false)]
    }
    guard match.phase == .running else { return [] }
    guard isInGroup else {
      kept[room] = nil
      return [.withdraw(room)]
    }
    kept[room]!.phase = .over
    return [.withdraw(room), .record(room, through: eventCount)] + put(nil, room, eventCount, at: now)
  }

  mutating func remove(_ room: RoomID) -> [Effect] {
    kept[room] = nil
    note(room, .max)
    return [.remove(room)]
  }

  mutating func note(_ room: RoomID, _ serial: UInt64) {
    if seen.count >= seenLimit, seen[room] == nil {
      for room in seen.keys.prefix(seenLimit / 2) where kept[room] == nil { seen[room] = nil }
    }
    seen[room] = max(seen[room] ?? 0, serial)
  }
}
