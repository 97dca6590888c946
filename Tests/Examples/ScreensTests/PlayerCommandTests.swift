import Testing
import TwentyFour

@testable import Screens

/// The meaning of a player's line.
struct PlayerCommandTests {
  @Test(arguments: [
    ("", PlayerCommand.none), (" \t ", .none), ("hint", .act(.hint)), (" HINT ", .act(.hint)), ("give up", .act(.giveUp)),
    ("Give \t Up", .act(.giveUp)), ("giveup", .act(.giveUp)), ("help", .help), ("?", .help), ("table", .table),
    ("tries", .tries), ("standings", .standings), ("codes", .codes), ("time", .time), ("quit", .quit), ("q", .quit),
    ("Exit", .quit),
  ])
  func `a command is known whatever its case and its spaces`(line: String, command: PlayerCommand) {
    #expect(PlayerCommand(line) == command)
  }

  @Test(arguments: ["8*(9/(5-2))", "8 x 3", "x", "(8", "1 + 2 apples", "3hint", " 8/(3-8/3) ", "×"])
  func `what begins with a digit or a sign is an answer, as it was typed`(line: String) {
    #expect(PlayerCommand(line) == .act(.answer(line)))
  }

  @Test(arguments: [
    ("hnit", "There is no command hnit; did you mean hint?"), ("quitt now", "did you mean quit?"),
    ("nonsense", "; ? shows all."),
    ("kick 3", Phrases.onlyHost), ("LOCK", Phrases.onlyHost), ("kik 3", "did you mean kick?"),
  ])
  func `another word is no answer, and what it may have meant is told`(line: String, words: String) {
    guard case .unknown(let sentence) = PlayerCommand(line) else {
      Issue.record("\(PlayerCommand(line))")
      return
    }
    #expect(sentence.hasSuffix(words), "\(sentence)")
  }
}
