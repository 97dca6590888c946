public import FoundationEssentials
public import FramedJSON
public import FramedTransport
public import TwentyFour

/// A message between a host and a player. This comment is the complete protocol, version 3.
///
/// ## Bytes
/// There is one connection per player: TLS 1.3 over TCP, as the module FramedSecurity describes it, or TCP alone if the room is not
/// encrypted. The advertisement tells which (``RoomAdvertisement``), and a player who expects the other one gets an error. Each message is one frame: the length of the body in four bytes, most significant byte
/// first; then the body, at most 65,536 bytes: one JSON object (RFC 8259) in UTF-8. The field `kind` is the kind of the message;
/// unlisted fields are ignored. A message of an **unknown kind is ignored**, and so is an `act` with an unknown `action`, so that
/// later versions can add some. Any other violation of this description ends the connection: the host gives the reason in
/// `closed`, a player closes without a message. A frame without a body is a heartbeat (`TransportLimits.heartbeat`): each side
/// sends one after 5 seconds without sending, and gives up the peer after 15 seconds without receiving.
///
/// ## From player to host
/// | kind | fields | meaning |
/// | --- | --- | --- |
/// | `hello` | `version` 3, `name` string, and optionally `seat`, `invitation`, `admission`, `players`, `watch`, `place`, `room` | once, within 5 seconds |
/// | `look` | `version` 3, and optionally `admission`, `name`, `watch` | whose room is it? Before `hello`, as often as wanted; see below |
/// | `act` | `number` of the round, `action` | the player's action in the round |
/// | `leaving` | | the player closes the connection now |
/// | `ping` | | asks for a `pong`: a page in a browser sees no heartbeats of its WebSocket, and has to find out whether the host is there |
///
/// The optional fields of `hello`:
///
/// - `seat` {`room`, `player` number, `proof` base 64}: the player of an earlier `welcome` comes back, and gets their seat again. The
///   proof is a `ChannelProof` of the text `seat ` and the `secret` of that welcome, over the connection's binding for the service's
///   type. A player whose proof is not valid, or too late, is a new player; if the match is still there, only in that one.
/// - `invitation` base 64: the proof of the room's invitation, made as that of a seat, of the text `invitation ` and the invitation.
///   It stands for the passcode.
/// - `players` [minimum, maximum]: the wanted number of players in the match; only for a host with several matches.
/// - `place`: the name under which the player has found the host. A host with several matches lists each of them in a directory, and
///   takes the player into the one of this name.
/// - `room`: the room that the player was in. If it is not there any more, the code is `otherRoom`, instead of a seat in another one.
/// - `watch` true: watch without playing. Such a connection gets all events, takes no place, and sends only `leaving`.
///
/// An `action` is `{"answer": {"expression": string}}`, which the host checks, `{"giveUp": {}}`, which sits out the rest of the
/// round, or `{"hint": {}}`, which costs points.
///
/// ## From host to player
/// A valid `hello` is answered with `welcome`: `version` 3, `room` UUID, `player` {`id` integer, `name`}, `secret`,
/// `returnSeconds` and `rules` {`roundSeconds`, `pauseSeconds`, and if limited `rounds`; `time`, if it is not the
/// usual one, is `1.5`, `2` or `none`, and `roundSeconds` has it in it}. A number may be added to the name. A
/// spectator gets no `player`. Who proves the `secret` over a new connection, within `returnSeconds` after the old one broke, gets
/// the seat back, with its points and its round, from this host or from another one with its key that goes on with the match: `place` is
/// the name under which a directory lists the match, wherever it is; the old connection is ended if it still exists. Each welcome has another secret.
/// The one before stays valid until the player sends an `act`, because the welcome may have been lost.
///
/// A `ping` is answered with `pong`, in any state of the connection. Both have no fields.
///
/// Before, or instead of it, a host that approves each new player sends `approval` with `seconds`, the time within which `welcome` or
/// `closed` follows.
///
/// The seat of a player who has not sent any answer is not kept, nor one that a new player needs when the room is full. The host
/// shares its places, and limits hellos and messages, by address: see the codes `share` and `tooFast` of ``RoomReason/Code``. When
/// many come and go, `joined`, `left`, `away`, `back` and `standings` are merged, so that there are at most five updates a second.
///
/// All other messages are events, each a ``RoomEvent`` with the fields of its JSON form, but the name of the event is `kind`, the
/// code of a reason is `code`, and a player is an object {`id`, `name`}:
///
/// | kind | fields | meaning |
/// | --- | --- | --- |
/// | `joined`, `left` | `player` | another player came or went |
/// | `away`, `back` | `player` | another player's connection broke and the seat is kept; they are back |
/// | `missing` | `count` | the number of players missing for a round to start; 0 when there are enough |
/// | `round` | `number`, `hand` array of four, `seconds` left, and `limited` false if there is no limit | a round started, or is running and can still be played; without a limit it ends by itself after `seconds`, which only those show who do not know `limited` |
/// | `answer` | `player`, `seconds` since the round started | an answer was right, maybe the receiver's own |
/// | `refused` | `code`, `text` | the receiver's answer does not count, or there is no hint; with the code `held` the match waits, and answers count |
/// | `hint` | `cost` in points, `step`, and the fields of the step | the hint that the receiver asked for |
/// | `standings` | `standings` array of {`player`, `status`, `points`, and where they apply `seconds`, `away`, `best`, `hints`, `phone`} | in display order |
/// | `roundEnded` | `number`, `hand`, `solution` string, `standings`, and if another round follows `pause` seconds | |
/// | `matchEnded` | | the match is over, after its last `roundEnded`, and the room stays open; also sent after `welcome` |
/// | `matchBegan` | `number` of the match, from 2 | another match in the room: everyone has no points, and rounds are counted from 1 |
/// | `closed` | `code`, `text` | the room is closed, or the receiver is refused or removed; the host closes the connection |
///
/// The steps of `hint` are: 1, with `operation`, one of `+-*/`, the last operation; 2, with `expression`, two of the digits and a
/// sign to begin with; 3, with `left`, `operation` and `right`, the last calculation, with whole numbers or fractions such as
/// `8/3`.
///
/// A `status` is one of `solved`, `guessing`, `joinedAndGuessing`, `waiting`, `gaveUp`, `outOfTime`. Solvers have `seconds`,
/// players whose connection is broken `away` true, players with a solution so far `best` seconds, and players who took hints in
/// the round `hints`, their number. Codes are those of ``RoomReason/Code``; later versions may add some. A text is one sentence
/// of at most 1,000 bytes.
///
/// ## Over the web
/// A page in a browser speaks the same over a WebSocket (RFC 6455) at `/socket` of the page's host and port, without encryption: each message is a
/// text of one JSON object, without a length before it, and the heartbeat is ping and pong. What is proved over a native connection cannot be
/// proved there, so
///
/// - in `hello`, `seat` has the `secret` of the last welcome itself instead of `proof`. A seat that was won over the web comes back over the web
///   only, and no other seat does.
/// - in `hello`, `admission` is the token that a room with a passcode asks for: the fragment of the address that the host shows. It lets one page in.
///   Without one that is good the code is `admission`; a `hello` that is refused for another reason uses nothing up.
/// - `look` shows the same token, and uses nothing up. It is answered with `room`: `room` UUID of the room or of the server of many matches,
///   its `name` on the network, `host`, the name of the person who opened it, and `admits`, whether the token is good or none is needed.
///   A page asks first, so that it asks nobody for a name in vain, and shows the secret of a seat only where the seat is.
/// - in `welcome` of such a room, `admission` is the token for the next `hello` of this page, also after its seat is gone.
///
/// In standings, `phone` is true for players over the web.
///
/// ## Other versions
/// A player of another version gets `closed` with code `version`; in their `hello`, only `version` has to be readable. Hosts and
/// players up to version 2 do not encrypt: an encrypting side tells that the other one does not.
public enum RoomMessage: Hashable, Sendable {
  case hello(Hello)
  case act(round: Int, Match.Action)
  case leaving
  /// Asks whose room it is.
  case look(Look)
  /// The answer to ``look(_:)``.
  case room(Introduction)
  /// Asks for a ``pong``.
  case ping
  case pong
  case welcome(Welcome)
  /// The host has to admit the new player; `welcome` or `closed` follows within this time.
  case approval(within: Duration)
  case event(RoomEvent)
  /// A message that this version does not know and ignores.
  case unknown(kind: String)

  /// The version of the protocol, in hello, welcome and the TXT record.
  public static let version = 3

  /// The frame format: a length of four bytes, most significant byte first, and a body of at most 65,536 bytes.
  public static let format = FrameFormat(maximumBodySize: 65_536)

  /// The limits of a host's connections, whose peers are not trusted.
  public static let limits = TransportLimits(heartbeat: heartbeat)

  /// The limits of a player's connection, whose host may be busy.
  public static let playerLimits = TransportLimits(stallTime: nil, keepAlive: .seconds(10), heartbeat: heartbeat)

  private static let heartbeat = Heartbeat(interval: .seconds(5), timeout: .seconds(15))

  /// The coding of messages in frames.
  public static let codec = JSONCodec<RoomMessage>()

  /// A player's first message.
  public struct Hello: Hashable, Sendable {
    public var version: Int
    public var name: String
    /// The proof of the player's former seat.
    public var seat: SeatProof?
    /// The proof of an invitation.
    public var invitation: Data?
    /// The token that a page has from its address.
    public var admission: String?
    /// The wanted number of players in the match, for a host with several matches.
    public var players: ClosedRange<Int>?
    /// Whether to watch without playing.
    public var spectates: Bool
    /// The name under which the player has found the host; one with several matches lists each of them in a directory.
    public var place: String?
    /// The only room to come into; nil for any.
    public var room: RoomID?

    public init(
      version: Int = RoomMessage.version, name: String, seat: SeatProof? = nil, invitation: Data? = nil,
      admission: String? = nil, players: ClosedRange<Int>? = nil, spectates: Bool = false, place: String? = nil,
      room: RoomID? = nil
    ) {
      self.version = version
      self.name = name
      self.seat = seat
      self.invitation = invitation
      self.admission = admission
      self.players = players
      self.spectates = spectates
      self.place = place
      self.room = room
    }
  }

  /// The host's answer to a valid hello.
  public struct Welcome: Hashable, Sendable {
    public var version = RoomMessage.version
    public var room: RoomID
    /// The receiver's player in the room; `nil` for a spectator.
    public var player: Player?
    /// The secret for coming back to the seat; `nil` if that is not possible.
    public var secret: String?
    /// The token by which a page may come in again; `nil` if none is asked for.
    public var admission: String?
    /// The time for which the seat is kept when the connection breaks.
    public var returnLimit: Duration
    public var rules: RoomRules
    /// The name under which a directory lists the match, to come back by; nil if there is none.
    public var place: String?

    public init(
      room: RoomID, player: Player?, secret: String? = nil, admission: String? = nil, returnLimit: Duration, rules: RoomRules
    ) {
      self.room = room
      self.player = player
      self.secret = secret
      self.admission = admission
      self.returnLimit = returnLimit
      self.rules = rules
    }
  }
}

/// A connection between a host and a player.
public typealias RoomConnection = MessageConnection<JSONCodec<RoomMessage>>

extension MessageConnection<JSONCodec<RoomMessage>> {
  /// Reads the incoming messages, up to the end of the connection.
  ///
  /// After an invalid or too large frame, the rest of the stream is meaningless: that error is the last call, and the caller may
  /// still answer.
  ///
  /// - Parameter take: Called with each message, or with the reason why a frame contains none.
  public func read(_ take: (Result<RoomMessage, RoomReason>) -> Void) async {
    var messages = messages.makeAsyncIterator()
    while true {
      do throws(MessagingError) {
        guard let message = try await messages.next() else { return }
        take(.success(message))
      } catch {
        let isEnd = error.code != .unreadable
        guard !isEnd || error.transport?.code == .frameTooLarge || error.transport?.code == .malformedFrame else { return }
        take(.failure(.malformed(error.messageError?.description ?? "A frame was longer than is allowed.")))
        if isEnd { return }
      }
    }
  }

  /// Sends a message without waiting.
  ///
  /// A peer that reads too slowly, or is gone, loses its connection, so that no other peer waits for it.
  public func post(_ message: RoomMessage) {
    // The reader of this connection gets the same error.
    if (try? trySend(message)) != true { connection.abort() }
  }
}
