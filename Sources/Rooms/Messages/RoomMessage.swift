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
/// | `hello` | `version` 1, `name` string, and if wanted `token`, `players`, `watch` | comes first and once, within 5 seconds |
/// | `answer` | `number` of the round, `expression` string | what the player calculates, for the host to check |
/// | `giveUp` | `number` of the round | the player does not want to go on guessing in this round |
/// | `hint` | `number` of the round | the player wants a hint, which costs points |
/// | `leaving` | | the player hangs up now |
///
/// In `hello` stand, if they are wanted:
///
/// - `token`, a string of at most 64 bytes: the one of an earlier `welcome`. Who comes back with it has his seat again. With one
///   that is not known (any more) he is a newcomer.
/// - `players` {`min`, `max`}: how many the match should have; only for a host that has several matches.
/// - `watch` true: to look on. Such a connection gets everything, takes no place, and says nothing but `leaving`, `ping` and
///   `pong`.
///
/// ## From host to player
/// | kind | fields | meaning |
/// | --- | --- | --- |
/// | `welcome` | `version` 1, `room` UUID, `player` {`id` integer, `name`}, `state` `waiting`/`playing`, `token`, `returnSeconds`, `rules` | answers hello; the name may be numbered |
/// | `refused` | `code`, `text` | not let in, or shown out; the host hangs up |
/// | `joined`, `left` | `player` | someone else came or went |
/// | `away`, `back` | `player` | someone's connection broke, and his seat is kept; he is there again |
/// | `missing` | `count` | how many more players are needed for a round to start; 0 when there are enough |
/// | `round` | `number`, `hand` array of four, `seconds` left | a round started, or runs and can still be played |
/// | `accepted` | `player`, `seconds` since the round started | someone's answer was right; maybe the receiver's own |
/// | `answerRefused` | `code`, `text` | the receiver's answer does not count |
/// | `hinted` | `number` of the round, `cost` in points, `step`, and of the step its own | the hint that the receiver asked for |
/// | `hintRefused` | `code`, `text` | there is no hint for the receiver |
/// | `standings` | `standings` array of {`player`, `status`, `points`, and what applies of `seconds`, `away`, `best`, `hints`} | in the order in which to show them |
/// | `roundEnded` | `number`, `hand`, `solution` string, `standings`, and if another round follows `pause` seconds | |
/// | `closed` | `code`, `text` | the room is closed; the host hangs up |
///
/// In `welcome`, `player` is missing for one who looks on. `token` is a secret: over a new connection within `returnSeconds`
/// after the old one broke it gives the seat back, with its points and its round; the old connection is ended if it still
/// stands. `rules` is {`roundSeconds`, `pauseSeconds`, and unless there is no end `rounds`}.
///
/// The steps of `hinted` are: 1, with `operation`, one of `+-*/`, which is done last; 2, with `expression`, two of the digits
/// and a sign to begin with; 3, with `left`, `operation` and `right`, what is to be calculated last, as whole numbers or
/// fractions such as `8/3`.
///
/// A `status` is one of `solved`, `guessing`, `joinedAndGuessing`, `waiting`, `gaveUp`, `outOfTime`. Solvers have `seconds`,
/// those whose connection broke `away` true, those who ever solved a hand `best` seconds, and those who took hints in the round
/// their number, `hints`. Codes are those of ``RoomReason/Code``, and there may be new ones; texts are one sentence of at most
/// 1,000 bytes.
///
/// ## From either side
/// `ping`, without fields, is answered with `pong`, also without fields, once the player was welcomed. Who has heard nothing
/// for 5 seconds sends a ping, again after 5 more, and hangs up when nothing came for 15.
package enum RoomMessage: Hashable, Sendable {
  case hello(Hello)
  case welcome(Welcome)
  case refused(RoomReason)
  case joined(Player)
  case left(Player)
  case away(Player)
  case back(Player)
  case missing(Int)
  case round(Match.Deal)
  case answer(round: Int, expression: String)
  case giveUp(round: Int)
  case hint(round: Int)
  case accepted(Player, time: Duration)
  case answerRefused(RoomReason)
  case hinted(round: Int, Hint, cost: Int)
  case hintRefused(RoomReason)
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
    case hello, answer, giveUp, hint, leaving
    case welcome, refused, joined, left, away, back, missing, round, accepted, answerRefused, hinted, hintRefused, standings,
      roundEnded, closed
    case ping, pong
  }

  var kind: Kind {
    switch self {
    case .hello: .hello
    case .welcome: .welcome
    case .refused: .refused
    case .joined: .joined
    case .left: .left
    case .away: .away
    case .back: .back
    case .missing: .missing
    case .round: .round
    case .answer: .answer
    case .giveUp: .giveUp
    case .hint: .hint
    case .accepted: .accepted
    case .answerRefused: .answerRefused
    case .hinted: .hinted
    case .hintRefused: .hintRefused
    case .standings: .standings
    case .roundEnded: .roundEnded
    case .leaving: .leaving
    case .closed: .closed
    case .ping: .ping
    case .pong: .pong
    }
  }
}
