/// The updates about who came and went that a room has not told yet, merged.
struct WithheldUpdates: Sendable {
  /// In order: `joined`, `left`, `away` and `back`.
  private(set) var presence: [RoomEvent] = []
  var hasStandings = false
  /// Whether the number of missing players is another.
  var hasMissing = false
  /// The connections that get the events for all only after these, because they were told of the present state.
  var admissions: [ConnectionID] = []

  var isEmpty: Bool { presence.isEmpty && !hasStandings && !hasMissing && admissions.isEmpty }

  /// Adds an event; two that cancel each other out are both dropped.
  mutating func add(_ event: RoomEvent) {
    switch event {
    case .left(let player):
      let isUnknown = presence.contains(.joined(player))
      presence.removeAll { [.joined(player), .away(player), .back(player)].contains($0) }
      if !isUnknown { presence.append(event) }
    case .back(let player): replace(.away(player), by: event)
    case .away(let player): replace(.back(player), by: event)
    default: presence.append(event)
    }
  }

  private mutating func replace(_ opposite: RoomEvent, by event: RoomEvent) {
    if let index = presence.lastIndex(of: opposite) { presence.remove(at: index) } else { presence.append(event) }
  }
}
