import Rooms
import TestSupport
import Testing
import TwentyFour
import _BonjourishDiscovery

@testable import Screens
@testable import _BonjourishTerminal

/// What the screens of the game draw, whole: `Tests/Transcripts/twentyfour.txt`.
struct PictureTests {
  private static let sizes = [(80, 24), (40, 12), (60, 20), (110, 34), (40, 10), (30, 8)]

  static func submit(_ line: String, to state: inout GameState, at now: Duration = .seconds(152)) {
    state.editor.replace(with: line)
    _ = state.press(.enter, at: now)
  }

  static func host(_ events: RoomEvent...) -> GameState {
    var state = GameState(name: Evening.ada.name, title: "Ada's game, port 4242")
    state.hosting = GameState.Hosting()
    state.passcode = "123456"
    state.take(.open(room: RoomID(), player: Evening.ada, rules: Evening.rules), at: .zero)
    for event in events { state.take(event, at: .zero) }
    return state
  }

  static func changed(_ state: GameState, _ change: (inout GameState) -> Void) -> GameState {
    var state = state
    change(&state)
    return state
  }

  private static let wrong = RoomReason(.wrongDigits, "Use each of the four numbers exactly once: you did not use 3, 3.")

  static let games: [(title: String, state: GameState)] = [
    ("a room that is being joined", GameState(name: Evening.bob.name, title: "Ada's game, port 4242")),
    ("a host who is alone", host(.standings([Evening.standing(Evening.ada, .waiting, 0)]), .missing(1))),
    ("a host with company", host(.standings(Evening.beginning), .spectators(2))),
    ("a guest who waits", Evening.secondRound(upTo: 2)),
    ("the first round", Evening.secondRound(upTo: 3)),
    (
      "tries and hints",
      changed(Evening.secondRound()) { state in
        state.take(.hint(.firstStep(try! Expression("8/3")), cost: 2), at: .zero)
        for line in ["8+8", "((", "8/(3-8/3)+1+1+1+1+1+1+1"] { submit(line, to: &state) }
        state.take(.refused(wrong), at: .zero)
        state.take(.answer(Evening.bob, time: .seconds(31)), at: .zero)
        for scalar in "8*(".unicodeScalars { _ = state.press(.text(scalar)) }
      }
    ),
    (
      "a solution",
      changed(Evening.secondRound()) { state in
        state.take(
          .standings([
            Evening.standing(Evening.bob, .solved(.seconds(31)), 16), Evening.standing(Evening.ada, .joinedAndGuessing, 0),
          ]), at: .zero)
        state.take(.refused(RoomReason(.noMoreHints, "There are no more hints.")), at: .zero)
      }
    ),
    (
      "giving up",
      changed(Evening.secondRound()) { state in
        state.take(
          .standings([Evening.standing(Evening.bob, .gaveUp, 0), Evening.standing(Evening.ada, .waiting, 5)]), at: .zero)
      }
    ),
    ("the pause after a round", Evening.secondRound(upTo: 5)),
    ("a pause that lasts", changed(Evening.secondRound(upTo: 5)) { $0.take(.missing(2), at: .zero) }),
    ("the table in a round", changed(Evening.secondRound()) { submit("table", to: &$0) }),
    ("help", changed(Evening.secondRound()) { submit("help", to: &$0) }),
    ("help for a host", changed(host(.standings(Evening.beginning))) { submit("help", to: &$0) }),
    (
      "more help for a host",
      changed(host(.standings(Evening.beginning))) { state in for _ in 1...2 { submit("help", to: &state) } }
    ),
    (
      "help in practice",
      changed(host(.standings([Evening.standing(Evening.ada, .guessing, 0)]))) { state in
        (state.hosting, state.isPractice) = (nil, true)
        submit("help", to: &state)
      }
    ),
    (
      "codes to compare",
      changed(host(.standings(Evening.beginning))) { state in
        state.take(.identified(Evening.bob, key: nil, comparison: "727 315"), at: .zero)
        state.take(.identified(Evening.lei, key: nil, comparison: "000 001"), at: .zero)
        submit("codes", to: &state)
      }
    ),
    (
      "a question",
      changed(host(.standings(Evening.beginning))) { state in
        _ = state.press(.control("v"))
        _ = state.press(.text("1"))
      }
    ),
    (
      "the question at the end", changed(host(.standings(Evening.beginning))) { submit("quit", to: &$0) }
    ),
    (
      "a broken connection",
      changed(Evening.secondRound()) { $0.take(.reconnecting(attempt: 2, in: .seconds(30)), at: .seconds(150)) }
    ),
    (
      "no time limit",
      changed(host(.standings(Evening.beginning))) { state in
        let deal = Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100), isLimited: false)
        state.take(.round(deal), at: .zero)
        state.take(.standings([Evening.standing(Evening.ada, .guessing, 0)]), at: .zero)
      }
    ),
    ("the end of a match", changed(Evening.secondRound(upTo: 5)) { $0.take(.matchEnded, at: .zero) }),
    (
      "the end of the evening",
      changed(Evening.secondRound(upTo: 5)) { state in
        state.wins = [Evening.lei: 2, Evening.ada: 1]
        state.take(.closed(.hostLeft), at: .zero)
      }
    ),
    (
      "a player whose program plays",
      changed(Evening.secondRound()) { state in
        var bot = GameState(name: Evening.bob.name, title: "Ada's game", isBot: true)
        bot.take(.open(room: RoomID(), player: Evening.bob, rules: Evening.rules), at: .zero)
        bot.take(.round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), at: .seconds(100))
        state = bot
      }
    ),
    (
      "a spectator",
      changed(Evening.secondRound()) { state in
        var spectator = GameState(name: Evening.bob.name, title: "Ada's game")
        spectator.take(.open(room: RoomID(), player: nil, rules: Evening.rules), at: .zero)
        spectator.take(.standings(Evening.beginning), at: .zero)
        state = spectator
      }
    ),
    (
      "what is wrong with the network",
      changed(host(.standings([Evening.standing(Evening.ada, .waiting, 0)]))) { state in
        state.network = "Nobody finds the room: a firewall may drop what is sent to UDP port 5353."
        state.notice("Something else was told.")
      }
    ),
    (
      "a crowd",
      changed(host()) { state in
        state.take(
          .standings(
            (1...24).map { number in
              let player = Player(id: PlayerID(rawValue: number), name: Evening.name("Player of number \(number)"))
              return Evening.standing(player, number % 2 == 0 ? .guessing : .gaveUp, number * 7, isAway: number % 5 == 0)
            }), at: .zero)
      }
    ),
  ]

  static func lobby(_ keys: Key..., rooms: Int = 14, change: (inout LobbyState) -> Void = { _ in }) -> LobbyState {
    var state = LobbyState(name: Evening.name("Bob"), usesDirectory: true)
    state.see(
      (0..<rooms).map { number in
        Evening.room(
          "Room \(number + 1)", players: number % 5, max: 4, state: number % 2 == 0 ? .waiting : .playing,
          time: TimeAllowance.allCases[number % 4], host: try! DomainName("host-\(number).local"),
          lock: [.open, .passcode, .none][number % 3],
          interfaces: number % 3 == 0 ? ["directory:eu-west"] : ["eth0"])
      }, at: .zero)
    for key in keys { _ = state.press(key) }
    change(&state)
    return state
  }

  static let lobbies: [(title: String, state: LobbyState)] = [
    ("the lobby", lobby()), ("the end of the lobby", lobby(.end)), ("a page further", lobby(.pageDown)),
    ("a number that is typed", lobby(.text("1"))), ("a filter", lobby(.text("/"), .text("2"))),
    ("a filter without rooms", lobby(.text("/"), .text("z"))), ("the keys", lobby(.text("?"))), ("no rooms", lobby(rooms: 0)),
    ("no network", lobby(rooms: 0) { $0.network = "Only this machine is reached." }),
    ("a message", lobby { $0.notice = "The host closed the room." }),
  ]

  static let forms: [(title: String, form: TextForm<PlayerName>)] = {
    var (empty, full) = (TextForm(name: nil), TextForm(name: Evening.name("A name of thirty-two characters!")))
    _ = empty.press(.enter)
    _ = full.press(.left)
    return [("a name that is missing", empty), ("a name to change", full)]
  }()

  @Test func `each screen is drawn as it is kept, in windows of all sizes`() throws {
    var text = ""
    func add(_ title: String, _ draw: (TerminalSize, Appearance) -> Canvas) {
      for (columns, rows) in Self.sizes {
        text += "# \(title), on \(columns) columns and \(rows) rows\n"
        text += draw(TerminalSize(columns: columns, rows: rows), Appearance()).picture + "\n"
      }
      text += "# \(title), in ASCII\n\(draw(TerminalSize(columns: 60, rows: 20), Appearance(isUnicode: false)).picture)\n"
    }
    for game in Self.games {
      add(game.title) { GameView(state: game.state, now: .seconds(152)).draw(size: $0, appearance: $1) }
    }
    for lobby in Self.lobbies {
      add(lobby.title) { LobbyView(state: lobby.state, now: .seconds(95)).draw(size: $0, appearance: $1) }
    }
    for form in Self.forms { add(form.title) { form.form.draw(size: $0, appearance: $1) } }
    try Transcript("twentyfour").compare(text)
  }
}
