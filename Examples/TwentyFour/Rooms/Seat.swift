public import TwentyFour

/// A place in a room: the host's own or a player's.
public protocol Seat: Sendable {
  /// The events of the room, from `open` to `closed`. Only one iteration may run at a time; each event is delivered once.
  var events: RoomEvents { get }

  /// Acts in the running round. An event gives the result, such as `answer` with this player's name, `hint` or `refused`.
  func act(_ action: Match.Action) async

  /// Leaves the room; a host closes it. The last event, `closed`, follows.
  func leave() async
}

extension Seat {
  /// Answers the running round.
  public func answer(_ expression: String) async { await act(.answer(expression)) }

  /// Sits out the rest of the running round.
  public func giveUp() async { await act(.giveUp) }

  /// Asks for a hint for the running round, which costs points.
  public func hint() async { await act(.hint) }
}
