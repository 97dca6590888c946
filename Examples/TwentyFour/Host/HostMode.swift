import Screens
import _BonjourishConsole

/// The modes of `twentyfour-host`.
enum HostMode: CaseIterable {
  /// Opens a room, and plays in it.
  case room
  /// A server of many matches, without a player of its own.
  case dedicated
  /// Shows the results.
  case leaderboard
  /// Shows the results of several servers together.
  case results
  /// Sends a command to an open match server.
  case administration

  /// The mode of the command line, without the program's name: its word is the first argument, or its option is written out in full.
  /// Each mode has its own options.
  init(of arguments: some Sequence<String>) {
    let words = Array(arguments)
    let options = words.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
    self =
      words.first == JoinedResultsMode.word
      ? .results : Self.allCases.first { mode in options.contains { mode.names.contains(String($0)) } } ?? .room
  }

  private var names: [String] {
    switch self {
    case .dedicated: ["--dedicated"]
    case .leaderboard: ["--leaderboard", "--history"]
    case .room, .results: []
    case .administration: ["--admin-command"]
    }
  }

  private var command: Command {
    switch self {
    case .room: RoomMode.command
    case .dedicated: DedicatedMode.command
    case .leaderboard: LeaderboardMode.command
    case .results: JoinedResultsMode.command
    case .administration: AdminMode.command
    }
  }

  /// Runs the mode and ends the process.
  func run() async -> Never {
    let arguments = command.parseOrExit(after: self == .results ? 1 : 0)
    await Program.run(Diagnostics(program: command.name, level: .warning)) {
      switch self {
      case .room: try await RoomMode.run(arguments)
      case .dedicated: try await DedicatedMode.run(arguments)
      case .leaderboard: try await LeaderboardMode.run(arguments)
      case .results: try await JoinedResultsMode.run(arguments)
      case .administration: try await AdminMode.run(arguments)
      }
    }
  }
}
