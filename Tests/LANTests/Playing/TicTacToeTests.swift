import CBonjourishLinux
import Testing

extension TalkingOnALAN {
  /// The example of distributed actors.
  struct TicTacToeTests {
    @Test func `two programs play to the end and agree on it`() async throws {
      try await withLab(backend: .builtin) { lab in
        let ada = try lab.ticTacToe("host", "Ada", on: .h1)
        try await ada.line { $0 == "* Ada waits for somebody" }
        let bob = try lab.ticTacToe("join", "Ada", "--bot", on: .h2)
        try await ada.line { $0 == "* Somebody has come" }
        // X takes the first cell that is free, again and again; what is no free cell is asked for again.
        try await ada.line { $0 == "Your cell:" }
        for text in ["x", "0", "10"] {
          try ada.send(text)
          try await ada.line { $0 == "A free cell, please:" }
        }
        for cell in 1...9 { try ada.send("\(cell)") }
        let end = try await ada.line { ["* X wins", "* O wins", "* A draw"].contains($0) }
        try await bob.line { $0 == end }
        #expect(try await ada.exitCode() == 0)
        #expect(try await bob.exitCode() == 0)
      }
    }

    @Test func `a player who vanishes ends the game for the other one, also while that one thinks`() async throws {
      try await withLab(backend: .builtin) { lab in
        let ada = try lab.ticTacToe("host", "Ada", on: .h1)
        try await ada.line { $0 == "* Ada waits for somebody" }
        let bob = try lab.ticTacToe("join", "Ada", "--bot", on: .h2)
        try await ada.line { $0 == "Your cell:" }
        // Without a word: its system would say it, were it the program alone.
        try await lab.link(isUp: false, of: .h2)
        try await ada.line { $0.hasPrefix("tic-tac-toe: ") }
        #expect(try await ada.exitCode() == 1)
        // The other one waits for a move, and notices it too.
        try await bob.line { $0.hasPrefix("tic-tac-toe: ") }
        #expect(try await bob.exitCode() == 1)
      }
    }
  }
}
