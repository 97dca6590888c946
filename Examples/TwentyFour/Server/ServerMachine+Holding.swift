import Rooms
import TwentyFour

/// Matches in which nothing may happen, because what players would be told might be undone.
extension ServerMachine {
  /// The most messages that are kept of a match, and of one of its connections. Players send a few in a round.
  private static let (heldLimit, heldLimitOfOne) = (2_048, 32)

  mutating func hold(_ room: RoomID) -> [HostEffect] {
    guard let match = matches[room], match.held == nil else { return [] }
    matches[room]!.held = []
    return [.broadcast(room, .refused(.held))]
  }

  /// Holds all matches if the process was paused: others may have them, and what they are told would not count.
  mutating func holdAfterPause(at now: Duration) -> [HostEffect] {
    guard !wasPaused, let lastBeat, now - lastBeat >= Membership.interval + Membership.slack else { return [] }
    wasPaused = true
    return inOrder.flatMap { hold($0.room.room) }
  }

  /// Handles what has come meanwhile as of the time at which it came. Rounds begin and end by the clock only now, so that nobody has missed
  /// their beginning.
  mutating func goOn(_ room: RoomID, at now: Duration) -> [HostEffect] {
    guard let held = matches[room]?.held else { return [] }
    matches[room]!.held = nil
    var (effects, isLate) = ([HostEffect](), false)
    for event in held {
      // What the clock would have changed before is changed now, so what came later is handled as of now.
      if let deadline = matches[room]?.room.match.nextDeadline, event.time >= deadline { isLate = true }
      effects += apply(event.event, to: room, at: isLate ? now : event.time)
    }
    return effects + apply(.timePassed(room), to: room, at: now)
  }

  /// Keeps an event of a match that is held.
  ///
  /// - Returns: The effects; nil if the event is not kept.
  mutating func keep(_ event: RoomMachine.Event, in room: RoomID, at now: Duration) -> [HostEffect]? {
    var (event, effects) = (event, [HostEffect]())
    switch event {
    // Handled when the match goes on.
    case .timePassed: return [.wake(room, at: nil)]
    case .open, .suspend, .close: return nil
    case .connected, .disconnected, .command: break
    case .received(let id, _), .malformed(let id, _):
      let held = matches[room]!.held!
      guard held.count < Self.heldLimit else { return [] }
      guard held.count(where: { $0.sender == id }) >= Self.heldLimitOfOne else { break }
      guard places.removeValue(forKey: id) != nil else { return [] }
      event = .disconnected(id)
      effects = [.disconnect(id, because: .tooManyMessages)]
    }
    matches[room]!.held!.append(ServedMatch.HeldEvent(event: event, time: now))
    return effects
  }
}
