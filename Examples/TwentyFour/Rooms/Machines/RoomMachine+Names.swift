import Names
import TwentyFour

extension RoomMachine {
  /// The reason to refuse a newcomer whose name is easily mistaken for that of somebody in the room; nil for another name.
  func refusal(ofLookalike name: PlayerName) -> RoomReason? {
    let taken = match.players.map(\.name)
    guard let other = name.lookalike(in: taken) else { return nil }
    let proposal = other.distinct(from: taken)
    return RoomReason(
      .name,
      "The name \"\(name)\" looks like \"\(other)\", who is in this room already; take another name, such as \"\(proposal)\".")
  }
}
