import Bonjourish
import Rooms

/// What the store answers.
extension Membership {
  mutating func owned(_ room: RoomID, _ stored: UInt64, at now: Duration) -> [Effect] {
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

  mutating func confirmed(_ room: RoomID, _ stored: UInt64, at now: Duration) -> [Effect] {
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

  func doubtful(_ room: RoomID) -> [Effect] {
    guard kept[room]?.phase == .running else { return [] }
    // What is not written down while another may write it is not told either.
    return [.pause(room), .server(.suspend(room))]
  }

  mutating func lost(_ room: RoomID) -> [Effect] {
    guard let match = kept.removeValue(forKey: room) else { return [] }
    let name: String?
    switch match.phase {
    case .offered, .taking: return [.server(.leave(room))]
    case .running, .over: name = match.snapshot?.name
    case .suspended(let carried, _): name = carried.name
    }
    return [.pause(room), .server(.leave(room)), .forget(room, isClosed: true), .withdraw(room)]
      + (name.map { [.tell(.lost($0))] } ?? [])
  }

  mutating func failed(_ room: RoomID, _ reason: String) -> [Effect] {
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
      if refusedTakes.count >= seenLimit { refusedTakes = [] }
      refusedTakes.insert(room)
      return [told, .server(.leave(room)), .release(room)]
    case .offered, .suspended: return [told]
    }
  }

  /// Leaves suspended matches to others whose players look for them no more.
  mutating func giveUpAbandoned(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for room in kept.keys.sorted(by: { $0.text < $1.text }) {
      guard case .suspended(let carried, let since)? = kept[room]?.phase, now - since >= Self.suspensionLimit else { continue }
      effects += release(room, carried.name)
    }
    return effects
  }

  mutating func release(_ room: RoomID, _ name: String) -> [Effect] {
    kept[room] = nil
    return [.server(.leave(room)), .release(room), .forget(room, isClosed: true), .withdraw(room), .tell(.released(name))]
  }
}
