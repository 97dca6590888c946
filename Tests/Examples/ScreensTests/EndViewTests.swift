import Foundation
import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// The end of a match, and of the evening, on the screen.
struct EndViewTests {
  private static let last = Match.RoundResult(
    number: 2, hand: Evening.hand, solution: try! Expression("8*(9/(5-2))"),
    standings: [
      Evening.standing(Evening.lei, .solved(.milliseconds(9_340)), 37, best: .milliseconds(9_340)),
      Evening.standing(Evening.ada, .gaveUp, 0),
      Evening.standing(Evening.bob, .solved(.milliseconds(31_500)), 16, best: .milliseconds(31_500)),
    ], pause: nil)

  /// Somebody's view of a room after the last round.
  private func state(of player: Player, isHost: Bool = false, _ events: RoomEvent...) -> GameState {
    var state = GameState(name: player.name, title: "Ada's game, port 4242")
    state.hosting = isHost ? GameState.Hosting() : nil
    let all: [RoomEvent] =
      [
        .open(room: RoomID(), player: player, rules: RoomRules(Match.Rules(rounds: 2))), .standings(Evening.beginning),
        .round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), .roundEnded(Evening.firstResult),
        .round(Match.Deal(number: 2, hand: Evening.hand, remaining: .seconds(100))), .roundEnded(Self.last),
      ] + events
    for event in all { state.take(event, at: .zero) }
    return state
  }

  private func lines(_ state: GameState, columns: Int = 80, rows: Int = 24, isUnicode: Bool = true) -> [String] {
    GameView(state: state, now: .seconds(60))
      .draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance(isUnicode: isUnicode)).lines
  }

  private func picture(_ state: GameState, columns: Int = 80, rows: Int = 24) -> String {
    lines(state, columns: columns, rows: rows).joined(separator: "\n")
  }

  private func submit(_ line: String, to state: inout GameState) -> GameState.Wish? {
    state.editor.replace(with: line)
    return state.press(.enter)
  }

  @Test func `the host sees the last solution, the winner, the table, and how to play again`() {
    #expect(
      picture(state(of: Evening.ada, isHost: true, .matchEnded)) == """
         Ada's game, port 4242                                  Round 2 of 2 · you: Ada

                              ██████    ██████    ██████    ██████
                              ██  ██    ██  ██        ██    ██
                              ██████    ██████    ██████    ██████
                              ██  ██        ██    ██            ██
                              ██████    ██████    ██████    ██████

                                  A solution: 8*(9/(5-2)) = 24
                                   李雷 wins with 37 points.
                              Type "again" to play another match.

           Player    This round         R1   R2 Total     Best
           李雷      9.34 s             18   19    37   9.34 s
           Bob       31.50 s             0   16    16  31.50 s
         ▸ Ada       gave up             0    0     0        -
           The fastest solution was 李雷's, after 9.34 s.





         >
         "again": play again   ?: help   w: phones   Tab: table   Ctrl-O: lock   "quit"
        """)
  }

  @Test func `a guest in a small window sees as much`() {
    #expect(
      picture(state(of: Evening.lei, .matchEnded), columns: 40, rows: 12) == """
         Ada's game,…  Round 2 of 2 · you: 李雷
                     8   9   2   5
              A solution: 8*(9/(5-2)) = 24
                You win with 37 points!
           The host may begin another match.
           Player     R1   R2 Total     Best
         ▸ 李雷       18   19    37   9.34 s
           Bob         0   16    16  31.50 s
           Ada         0    0     0        -

         >
         ?: help   Tab: table   "quit"
        """)
  }

  @Test func `whoever was closed out sees the last solution and the winner, and the sentence once`() {
    let text = picture(state(of: Evening.bob, .closed(.hostLeft)))
    #expect(text.contains("A solution: 8*(9/(5-2)) = 24") && text.contains("李雷 wins with 37 points."))
    #expect(text.components(separatedBy: "The host closed the room.").count == 2)
    #expect(text.contains("Enter: go on") && text.contains("The fastest solution was 李雷's, after 9.34 s."))
  }

  @Test func `the host plays again or closes the room, and asks for the end of a match`() {
    var host = state(of: Evening.ada, isHost: true, .matchEnded)
    #expect(submit("again", to: &host) == .decide(.again))
    #expect(submit("end", to: &host) == .decide(.end))
    #expect(submit("quit", to: &host) == nil && host.press(.text("y")) == .leave)
    var guest = state(of: Evening.bob, .matchEnded)
    #expect(submit("again", to: &guest) == nil && guest.notices.last == "Only the host can do that.")
  }

  @Test func `in another match everything begins anew, and the matches won are counted`() {
    var state = state(of: Evening.lei, .matchEnded)
    #expect(state.wins == [Evening.lei: 1])
    state.take(.matchBegan(number: 2), at: .zero)
    state.take(.standings(Evening.beginning), at: .zero)
    #expect(state.round == 0 && state.table.columns.isEmpty && state.phase == .waiting)
    #expect(picture(state).contains("Make 24 with all four numbers, using + − × ÷ ( )"))
    // The same number is another round.
    state.take(.round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), at: .zero)
    state.take(.roundEnded(Self.last), at: .zero)
    state.take(.matchEnded, at: .zero)
    #expect(state.wins == [Evening.lei: 2] && picture(state).contains("Matches won: 李雷 2"))
    // Whoever was away comes back to the end, and does not count it twice.
    state.take(.resumed, at: .zero)
    state.take(.matchEnded, at: .zero)
    #expect(state.wins == [Evening.lei: 2])
  }

  @Test func `whoever missed the beginning of the next match notices it by its first round`() {
    var state = state(of: Evening.lei, .matchEnded)
    state.take(.round(Match.Deal(number: 2, hand: Evening.hand, remaining: .seconds(100))), at: .zero)
    #expect(state.table.columns.isEmpty && state.round == 2 && state.lastResult == nil)
  }

  @Test(arguments: [
    ([37, 16, 0], "李雷 wins with 37 points."), ([16, 37, 0], "You win with 37 points!"),
    ([20, 20, 0], "You and 李雷 win with 20 points each."), ([20, 0, 20], "李雷 and Ada win with 20 points each."),
    ([5, 5, 5], "You, 李雷 and Ada win with 5 points each."), ([0, 0, 0], "Nobody has any points."),
  ])
  func `winners are named`(points: [Int], sentence: String) {
    let players = [Evening.lei, Evening.bob, Evening.ada]
    var state = state(of: Evening.bob)
    state.take(.standings(zip(players, points).map { Evening.standing($0, .gaveUp, $1) }), at: .zero)
    #expect(state.outcome == sentence)
  }

  @Test func `whoever plays alone wins against nobody`() {
    var state = state(of: Evening.bob)
    state.take(.standings([Evening.standing(Evening.bob, .gaveUp, 12)]), at: .zero)
    #expect(state.outcome == "You have 12 points.")
    state.take(.standings([Evening.standing(Evening.bob, .gaveUp, 0)]), at: .zero)
    #expect(state.outcome == "You have no points.")
  }

  @Test func `after the screen there is a sentence, unless the player knows`() {
    #expect(
      state(of: Evening.bob, .closed(.hostLeft)).summary
        == "Ada's game, port 4242: 2 rounds, you have 16 points, your best time 31.50 s. "
        + "李雷 wins with 37 points. The host closed the room.")
    var guest = GameState(name: Evening.bob.name, title: "Ada's game, port 4242")
    guest.take(.open(room: RoomID(), player: Evening.bob, rules: Evening.rules), at: .zero)
    guest.take(.closed(.hostLeft), at: .zero)
    #expect(guest.isOver && guest.summary == "Ada's game, port 4242: The host closed the room.")
    // The program's own error tells of a failure, and whoever leaves knows it.
    guest.phase = .closed(RoomReason(.kicked, "The host removed you."))
    #expect(guest.summary == nil)
    (guest.phase, guest.isLeaving) = (.closed(.hostLeft), true)
    #expect(guest.summary == nil)
  }
}
