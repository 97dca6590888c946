import Rooms
import TwentyFour

/// Opening matches.
extension ServerMachine {
  func room(of number: MatchNumber) -> RoomID? { matches.first { $0.value.number == number }?.key }

  /// Opens a match of a size.
  ///
  /// - Returns: Its room and the effects; nil if all places are taken.
  mutating func openMatch(
    _ size: ClosedRange<Int>, for opener: Peer, at now: Duration
  ) -> (room: RoomID, effects: [HostEffect])? {
    guard freePlaces > 0 else { return nil }
    lastNumber += 1
    counts.matchesOpened += 1
    let room = RoomMachine(
      room: makeID(), player: nil, rules: rules.with(players: size), shares: .none,
      generator: SeededGenerator(seed: generator.next()))
    let number = MatchNumber(rawValue: lastNumber)
    add(ServedMatch(number: number, name: name(of: number, room.room), opener: opener, room: room))
    return (room.room, apply(.open, to: room.room, at: now))
  }

  mutating func add(_ match: ServedMatch) {
    counts.matches += 1
    counts.gathering += 1
    matches[match.room.room] = match
    if let name = match.name { advertisedMatches[name] = match.room.room }
  }
}
