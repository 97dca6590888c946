import Results
import Screens
import _BonjourishConsole

/// `twentyfour-host results`: the results of several servers together.
enum JoinedResultsMode {
  /// The first argument of the command line.
  static let word = "results"

  static let files = Operand.repeated("FILE", .file, count: 1...1_000, Phrases.Options.files)

  static let command = Command(
    "twentyfour-host results", summary: Phrases.Commands.joinedResults,
    operands: [files],
    options: [LeaderboardMode.history, LeaderboardMode.order, LeaderboardMode.limit, LeaderboardMode.json],
    examples: [
      .init("twentyfour-host results one.sqlite two.sqlite", Phrases.Commands.bestOfGroup),
      .init("twentyfour-host results --history --json *.sqlite", Phrases.Commands.latestOfAll),
    ])

  static func run(_ arguments: Arguments) async throws {
    let paths = arguments[files]
    try await LeaderboardMode.show(arguments, of: paths) { () throws(ResultError) in
      try await ResultStore.open(joining: paths)
    }
  }
}
