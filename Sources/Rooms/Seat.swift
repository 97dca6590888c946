/// A place in a room, be it the host's own or a player's.
public protocol Seat: Sendable {
  /// What happens in the room, from `open` to `closed`. There is one iteration at a time, and each event is told once.
  var events: RoomEvents { get }

  /// Answers the running round. What becomes of it is told by an event: `answer` with our name, or `refused`.
  func answer(_ expression: String) async

  /// Does not guess on in the running round.
  func giveUp() async

  /// Asks for a hint for the running round, which costs points. It comes as an event, `hint`, or `refused` when there is none.
  func hint() async

  /// Leaves the room; a host closes it. The last event, `closed`, follows.
  func leave() async
}
