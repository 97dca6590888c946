import Bonjourish
import Rooms

/// Holding of matches whose last stored state is too old.
extension Membership {
  mutating func end(at now: Duration) -> [Effect] {
    isEnding = true
    return hold(kept.keys.filter { kept[$0]?.phase == .running }, at: now)
  }

  /// Notes that everything told up to a time is stored.
  mutating func secured(_ room: RoomID, as time: Duration, at now: Duration) -> [Effect] {
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

  mutating func holdStale(at now: Duration) -> [Effect] {
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
  mutating func paused(at now: Duration) -> [Effect] {
    var effects: [Effect] = []
    wasPaused = true
    for (room, match) in kept.sorted(by: { $0.key.text < $1.key.text }) {
      guard match.phase == .running, match.heldSince == nil else { continue }
      if match.safe == nil || match.isRefused { effects.append(.server(.goOn(room))) } else { kept[room]!.heldSince = now }
    }
    return effects
  }

  mutating func hold(_ rooms: [RoomID], at now: Duration) -> [Effect] {
    guard isInGroup else { return [] }
    return rooms.sorted { $0.text < $1.text }.compactMap { room in
      guard kept[room]?.heldSince == nil else { return nil }
      kept[room]!.heldSince = now
      return .server(.hold(room))
    }
  }
}
