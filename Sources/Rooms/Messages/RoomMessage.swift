package import TwentyFour

/// What a host and a player say to each other. This is the whole protocol, version 1.
///
/// ## Bytes
/// One TCP connection per player. Each message is one frame: a length of four bytes, most significant first, that counts the
/// bytes of the body; then the body, at most 65,536 bytes: one JSON object (RFC 8259) in UTF-8. Its `kind` says what the
/// message is; fields that are not listed here are ignored. A message of an **unknown kind is ignored** too, so that later
/// versions can add some; it only shows that the other side is alive. Anything else that is not as described here ends the
/// connection: the host says why with `refused`, a player just hangs up.
///
/// ## From player to host
/// | kind | fields | meaning |
/// | --- | --- | --- |
/// | `hello` | `version` 1, `name` string | comes first and once, within 5 seconds |
/// | `answer` | `number` of the round, `expression` string | what the player calculates, for the host to check |
/// | `giveUp` | `number` of the round | the player does not want to go on guessing in this round |
/// | `leaving` | | the player hangs up now |
///
/// ## From host to player
/// | kind | fields | meaning |
/// | --- | --- | --- |
/// | `welcome` | `version` 1, `room` UUID, `player` {`id` integer, `name`}, `state` `waiting`/`playing` | answers hello; the name may be numbered |
/// | `refused` | `code`, `text` | not let in, or shown out; the host hangs up |
/// | `joined`, `left` | `player` | someone else came or went |
/// | `round` | `number`, `hand` array of four, `seconds` left | a round started, or runs and can still be played |
/// | `accepted` | `player`, `seconds` since the round started | someone's answer was right; maybe the receiver's own |
/// | `answerRefused` | `code`, `text` | the receiver's answer does not count |
/// | `standings` | `standings` array of {`player`, `status`, `points`, and for solvers `seconds`} | in the order in which to show them |
/// | `roundEnded` | `number`, `hand`, `solution` string, `standings`, and if another round follows `pause` seconds | |
/// | `closed` | `code`, `text` | the room is closed; the host hangs up |
///
/// A `status` is one of `solved`, `guessing`, `joinedAndGuessing`, `waiting`, `gaveUp`, `outOfTime`. Codes are those of
/// ``RoomReason/Code``, and there may be new ones; texts are one sentence of at most 1,000 bytes.
///
/// ## From either side
/// `ping`, without fields, is answered with `pong`, also without fields, once the player was welcomed. Who has heard nothing
/// for 5 seconds sends a ping, again after 5 more, and hangs up when nothing came for 15.
package enum RoomMessage: Hashable, Sendable {
  case hello(version: Int, name: String)
  case welcome(version: Int, room: RoomID, player: Player, state: RoomState)
  case refused(RoomReason)
  case joined(Player)
  case left(Player)
  case round(Match.Deal)
  case answer(round: Int, expression: String)
  case giveUp(round: Int)
  case accepted(Player, time: Duration)
  case answerRefused(RoomReason)
  case standings([Standing])
  case roundEnded(Match.RoundResult)
  case leaving
  case closed(RoomReason)
  case ping
  case pong

  /// The version of the protocol, as hello, welcome and the TXT record carry it.
  package static let version = 1

  /// The longest body, in bytes.
  package static let maximumByteCount = 65_536

  /// The name of the message in its JSON form.
  enum Kind: String {
    case hello, welcome, refused, joined, left, round, answer, giveUp, accepted, answerRefused, standings, roundEnded, leaving,
      closed
    case ping, pong
  }

  var kind: Kind {
    switch self {
    case .hello: .hello
    case .welcome: .welcome
    case .refused: .refused
    case .joined: .joined
    case .left: .left
    case .round: .round
    case .answer: .answer
    case .giveUp: .giveUp
    case .accepted: .accepted
    case .answerRefused: .answerRefused
    case .standings: .standings
    case .roundEnded: .roundEnded
    case .leaving: .leaving
    case .closed: .closed
    case .ping: .ping
    case .pong: .pong
    }
  }
}
