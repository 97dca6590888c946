import Results
import _BonjourishConsole

/// `twentyfour-host results`: the results of several servers together.
enum JoinedResultsMode {
  /// The first argument of the command line.
  static let word = "results"

  static let files = Operand.repeated("FILE", .file, count: 1...1_000, "a results file of one server")

  static let command = Command(
    "twentyfour-host results", summary: "Shows the best players of several servers, or their latest matches.",
    operands: [files],
    options: [LeaderboardMode.history, LeaderboardMode.order, LeaderboardMode.limit, LeaderboardMode.json],
    examples: [
      .init("twentyfour-host results one.sqlite two.sqlite", "the best players of a group of two servers"),
      .init("twentyfour-host results --history --json *.sqlite", "the latest matches of all servers, for a program"),
    ])

  static func run(_ arguments: Arguments) async throws {
    let paths = arguments[files]
    try await LeaderboardMode.show(arguments, of: paths) { () throws(ResultError) in
      try await ResultStore.open(joining: paths)
    }
  }
}
