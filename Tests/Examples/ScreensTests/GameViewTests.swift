import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

struct GameViewTests {
  private func picture(
    _ state: GameState, at now: Duration, columns: Int = 80, rows: Int = 24, isUnicode: Bool = true
  ) -> String {
    let canvas = GameView(state: state, now: now)
      .draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance(isUnicode: isUnicode))
    return canvas.lines.joined(separator: "\n")
  }

  @Test func `a round on 80 columns and 24 rows`() {
    var state = Evening.secondRound()
    for key in "8/(3-8/3".unicodeScalars { _ = state.press(.text(key)) }
    #expect(
      picture(state, at: .seconds(152)) == """
         Ada's game, port 4242                                  Round 2 of 5 · you: Bob

                              ██████    ██████    ██████    ██████
                                  ██        ██    ██  ██    ██  ██
                              ██████    ██████    ██████    ██████
                                  ██        ██    ██  ██    ██  ██
                              ██████    ██████    ██████    ██████


         ██████████████████████████████████████████████████░░░░░░░░░░░░░░░░░░░░░   70 s

         Hint 1, for 2 points: The last thing to do is to divide.
           Standing                     Points │ Your tries
           Ada         away                  0 │
         ▸ Bob         guessing              0 │
           李雷        guessing             18 │
                                               │
                                               │
                                               │
                                               │
         • 李雷 has it, after 12.34 seconds.
         • Ada is away; the seat is kept for a while.
         > 8/(3-8/3
         Ctrl-T: hint (-2)   ?: help   "give up"   Tab: table   Enter: answer   "quit"
        """)
  }

  @Test func `the end of a round, and the table`() {
    #expect(
      picture(Evening.secondRound(upTo: 5), at: .seconds(115)) == """
         Ada's game, port 4242                                  Round 1 of 5 · you: Bob

                              ██████    ██████    ██████    ██████
                              ██  ██    ██  ██        ██    ██
                              ██████    ██████    ██████    ██████
                              ██  ██        ██    ██            ██
                              ██████    ██████    ██████    ██████

                                  A solution: 8*(9/(5-2)) = 24
         ███████████████████████████████████████░░░░░░░░░░░░░░░░  Round 2 begins in 7 s

           Player    This round         R1 Total     Best
           李雷      12.34 s            18    18  12.34 s
           Ada       gave up             0     0        -
         ▸ Bob       out of time         0     0        -





         • 李雷 has it, after 12.34 seconds.

         >
         ?: help   Tab: table   "quit"
        """)
  }

  @Test func `tries and their outcomes`() {
    var state = Evening.secondRound()
    for line in ["8+8", "((", "8/(3-8/3)"] {
      state.editor.replace(with: line)
      #expect(state.press(.enter) == .act(.answer(line)))
    }
    state.take(
      .refused(RoomReason(.wrongDigits, "Use each of the four numbers exactly once: you did not use 3, 3.")), at: .zero)
    state.take(.refused(RoomReason(.syntax, "Column 3: a number is missing here.")), at: .zero)
    #expect(
      picture(state, at: .seconds(152)) == """
         Ada's game, port 4242                                  Round 2 of 5 · you: Bob

                              ██████    ██████    ██████    ██████
                                  ██        ██    ██  ██    ██  ██
                              ██████    ██████    ██████    ██████
                                  ██        ██    ██  ██    ██  ██
                              ██████    ██████    ██████    ██████


         ██████████████████████████████████████████████████░░░░░░░░░░░░░░░░░░░░░   70 s

         Hint 1, for 2 points: The last thing to do is to divide.
           Standing                     Points │ Your tries
           Ada         away                  0 │ 8+8
         ▸ Bob         guessing              0 │   Use each of the four numbers exactly
           李雷        guessing             18 │   once: you did not use 3, 3.
                                               │ ((
                                               │   Column 3: a number is missing here.
                                               │ 8/(3-8/3)  asking the room …
                                               │
         • 李雷 has it, after 12.34 seconds.
         • Ada is away; the seat is kept for a while.
         >
         Ctrl-T: hint (-2)   ?: help   "give up"   Tab: table   Enter: answer   "quit"
        """)
  }

  @Test func `a small window, and an ASCII one`() {
    #expect(
      picture(Evening.secondRound(), at: .seconds(152), columns: 40, rows: 12) == """
         Ada's game, …  Round 2 of 5 · you: Bob
                     3   3   8   8
         ██████████████████████░░░░░░░░░   70 s
         Hint 1 (-2): at last, divide
           Standing                      Points
           Ada          away                  0
         ▸ Bob          guessing              0
           李雷         guessing             18
         • Ada is away; the seat is kept for a
           while.
         >
         Ctrl-T: hint (-2)   ?: help   "quit"
        """)
    #expect(
      picture(Evening.secondRound(), at: .seconds(152), columns: 60, rows: 20, isUnicode: false) == """
         Ada's game, port 4242              Round 2 of 5 | you: Bob

                    ######    ######    ######    ######
                        ##        ##    ##  ##    ##  ##
                    ######    ######    ######    ######
                        ##        ##    ##  ##    ##  ##
                    ######    ######    ######    ######


         ####################################...............   70 s

         Hint 1, for 2 points: The last thing to do is to divide.
           Standing           Points | Your tries
           Ada      away           0 |
         > Bob      guessing       0 |
           李雷     guessing      18 |
         * 李雷 has it, after 12.34 seconds.
         * Ada is away; the seat is kept for a while.
         >
         Ctrl-T: hint (-2)   ?: help   "give up"   "quit"
        """)
    #expect(
      picture(Evening.secondRound(), at: .seconds(152), columns: 15, rows: 3) == """
        The game needs
        40×10, not
        15×3.
        """)
  }

  @Test func `a broken connection`() {
    var state = Evening.secondRound()
    state.take(.reconnecting(attempt: 2, in: .seconds(3)), at: .seconds(150))
    #expect(
      picture(state, at: .seconds(151), rows: 20) == """
         Ada's game, port 4242                                  Round 2 of 5 · you: Bob

                              ██████    ██████    ██████    ██████
                                  ██        ██    ██  ██    ██  ██
                              ██████    ██████    ██████    ██████
                                  ██        ██    ██  ██    ██  ██
                              ██████    ██████    ██████    ██████

                      The connection broke. Attempt 2 to come back in 2 s
         ███████████████████████████████████████████████████░░░░░░░░░░░░░░░░░░░░   71 s

         Hint 1, for 2 points: The last thing to do is to divide.
           Standing                     Points │ Your tries
           Ada         away                  0 │
         ▸ Bob         guessing              0 │
           李雷        guessing             18 │
         • 李雷 has it, after 12.34 seconds.
         • Ada is away; the seat is kept for a while.
         >
         Ctrl-T: hint (-2)   ?: help   "give up"   Tab: table   Enter: answer   "quit"
        """)
  }

  @Test func `who is in after a round has ended is not told that the first one begins`() {
    var missed = Evening.secondRound(upTo: 3)
    #expect(picture(missed, at: .seconds(116)).contains("The next round begins soon; others may still come."))
    missed.take(.resumed, at: .seconds(116))
    missed.take(.standings(Evening.firstResult.standings), at: .seconds(116))
    #expect(picture(missed, at: .seconds(116)).contains("The next round begins soon; others may still come."))
    // In the pause after it.
    var new = Evening.secondRound(upTo: 1)
    new.take(.standings(Evening.firstResult.standings), at: .zero)
    #expect(picture(new, at: .zero).contains("The next round begins soon; others may still come."))
  }

  @Test func `waiting for players, for the first round, and for the next`() {
    var state = Evening.secondRound(upTo: 2)
    #expect(
      picture(state, at: .zero, columns: 60, rows: 10) == """
         Ada's game, port 4242                             you: Bob
              Make 24 with all four numbers, using + − × ÷ ( )
             The next round begins soon; others may still come.
           Standing           Points │ Your tries
           Ada      waiting        0 │
         ▸ Bob      waiting        0 │
           李雷     waiting        0 │
                                     │
         >
         ?: help   Tab: table   "quit"
        """)
    state.take(.missing(2), at: .zero)
    #expect(
      picture(state, at: .zero, columns: 60, rows: 10) == """
         Ada's game, port 4242                             you: Bob
              Make 24 with all four numbers, using + − × ÷ ( )
                    2 more players are needed to begin.
           Standing           Points │ Your tries
           Ada      waiting        0 │
         ▸ Bob      waiting        0 │
           李雷     waiting        0 │
                                     │
         >
         ?: help   Tab: table   "quit"
        """)
  }
}
