import Names
import TwentyFour

extension RoomMachine {
  /// The reason to refuse a new player whose name is easily mistaken for that of somebody in the room, or of
  /// somebody who waits for the host; nil for another name.
  func refusal(ofLookalike name: PlayerName) -> RoomReason? {
    let waiting = applicants.map(\.applicant).filter { !$0.spectates }.map(\.player.name)
    let taken = match.players.map(\.name) + waiting
    guard let other = name.lookalike(in: taken) else { return nil }
    let proposal = other.distinct(from: taken)
    return RoomReason(
      .name,
      "The name \"\(name)\" looks like \"\(other)\", who is in this room already; take another name, such as \"\(proposal)\".")
  }
}
