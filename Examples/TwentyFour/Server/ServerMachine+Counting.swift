import Rooms

/// What the server counts of its matches.
extension ServerMachine {
  /// Counts the places of each origin, if they have changed.
  mutating func countPlaces(of match: ServedMatch) {
    let room = match.room
    guard room.seating != match.countedSeating || !room.isOpen else { return }
    let places = room.isOpen ? room.takenPlaces : [:]
    for (origin, former) in match.countedPlaces { change(origin) { $0 - former } }
    for (origin, present) in places { change(origin) { $0 + present } }
    matches[room.room]?.countedPlaces = places
    matches[room.room]?.countedSeating = room.seating
  }

  mutating func change(_ origin: Origin, _ body: (TakenPlaces) -> TakenPlaces) {
    let present = body(taken[origin] ?? TakenPlaces())
    taken[origin] = present == TakenPlaces() ? nil : present
  }

  mutating func count(_ figures: ServedMatch.Figures, after before: ServedMatch.Figures) {
    counts.players += figures.players - before.players
    counts.away += figures.away - before.away
    counts.watchers += figures.spectators - before.spectators
    if figures.hasBegun, !before.hasBegun { counts.gathering -= 1 }
  }
}
