import Bonjourish
import Rooms

/// The matches of others, which are taken if there is a place.
extension Membership {
  mutating func orphaned(_ room: RoomID, _ stored: StoredMatch) -> [Effect] {
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

  mutating func answered(_ answer: Answer, at now: Duration) -> [Effect] {
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

  mutating func adopted(_ room: RoomID, at now: Duration) -> [Effect] {
    guard let match = kept[room] else { return [.server(.leave(room))] }
    kept[room]!.phase = .running
    switch match.phase {
    case .taking(let stored):
      turnedAway.remove(room)
      kept[room]!.safe = now
      kept[room]!.recordedRounds = stored.recordedRounds ?? stored.match?.room.endedRounds ?? 0
      // Written and advertised at once, so that whoever comes next knows who advertises it.
      return [.tell(.adopted(stored.match?.name ?? room.text)), .survey]
    case .suspended(let carried, _):
      let held: [Effect] = match.heldSince == nil ? [] : [.server(.hold(room))]
      return held + [.tell(.resumed(carried.name)), .survey]
    case .offered, .running, .over: return []
    }
  }

  /// The server has no place for a match, or cannot go on with it.
  mutating func refused(_ room: RoomID, hasRoom: Bool) -> [Effect] {
    switch kept[room]?.phase {
    case .offered:
      kept[room] = nil
      guard !hasRoom else { return [.ignore(room), .tell(.unusable(room.text, reason: "it is damaged"))] }
      if postponed.count < seenLimit, !postponed.contains(room) { postponed.append(room) }
      if turnedAway.count >= seenLimit { turnedAway = [] }
      guard turnedAway.insert(room).inserted else { return [.ignore(room)] }
      return [.ignore(room), .tell(.unusable(room.text, reason: "there is no place for it here at present"))]
    case .taking(let stored): return release(room, stored.match?.name ?? room.text)
    case .suspended(let carried, _): return release(room, carried.name)
    case .running, .over, nil: return []
    }
  }

  /// A server that drains takes nothing any more.
  mutating func giveBackTaken() -> [Effect] {
    var effects: [Effect] = []
    for room in kept.keys.sorted(by: { $0.text < $1.text }) {
      guard case .taking(let stored)? = kept[room]?.phase, stored.match != nil else { continue }
      kept[room] = nil
      effects += [.server(.leave(room)), .release(room)]
    }
    return effects
  }
}
