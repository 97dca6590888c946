public import FramedSecurity
public import TwentyFour

/// An event of a room, the same for the host and the players.
///
/// It is also a host's message to its players (``RoomMessage/event(_:)``), and a line of the programs' `--json`.
public enum RoomEvent: Hashable, Sendable {
  /// The room is open for this participant: the first event, and again if the seat was not kept and the participant joined anew.
  /// `player` is this participant's player, with the final name; `nil` for a spectator, or a host that does not play.
  case open(room: RoomID, player: Player?, rules: RoomRules)
  /// Another player came.
  case joined(Player)
  /// Another player left.
  case left(Player)
  /// Another player's connection broke; the seat is kept for a while.
  case away(Player)
  /// Another player who was away is back.
  case back(Player)
  /// The number of players missing for a round to start; 0 when there are enough.
  case missing(Int)
  /// A round started for this participant.
  case round(Match.Deal)
  /// A player, maybe this one, answered correctly, with the time since the start of the round.
  case answer(Player, time: Duration)
  /// This player's answer does not count, or there is no hint.
  case refused(RoomReason)
  /// The hint that this player asked for, and its cost in points.
  case hint(Hint, cost: Int)
  /// The standings, in display order.
  case standings([Standing])
  case roundEnded(Match.RoundResult)
  /// The match is over, and the room stays open: the host may begin another match. The standings are those of the last round.
  case matchEnded
  /// Another match began in the room, the second one or a later: everyone has no points, and rounds are counted from 1 again.
  case matchBegan(number: Int)
  /// This player's connection broke; the next attempt to come back begins after this time; attempts are counted from 1.
  case reconnecting(attempt: Int, in: Duration)
  /// This player is back at their seat. If they can still play the running round, a `round` follows.
  case resumed
  /// The number of spectators has changed; only the host is told.
  case spectators(Int)
  /// A new player waits until the host decides; only the host is told. `left` follows if the new player is not admitted.
  case asked(Player)
  /// A decision of the host took effect; only the host is told. The player is the one that it is about, if it is about one.
  case rule(HostRule, Player?)
  /// Who a player is, told to the host only; or, without a player, who the host is, told to this player: the key, and the six
  /// digits that both see if nobody sits between.
  case identified(Player?, key: KeyFingerprint?, comparison: String?)
  /// Somebody who came from this address gave a wrong passcode; only the host is told, with the number of guesses left.
  case guess(from: String, remaining: Int)
  /// The passcode is another one; nil: nobody new comes in, because too many were wrong. Only the host is told.
  case passcode(String?)
  /// The page for phones has other addresses, the one that a phone most likely reaches first; only the host is told. With a token they let
  /// a phone in.
  case web([String])
  /// This new player has to wait until the host decides, at most for this time; `open` or `closed` follows.
  case waiting(Duration)
  /// The room is closed, or closed for this participant, for example by a refusal: the last event.
  case closed(RoomReason)
}
