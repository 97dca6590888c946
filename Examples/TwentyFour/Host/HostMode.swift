import Screens
import _BonjourishConsole

/// The modes of `twentyfour-host` other than opening a room.
enum HostMode: CaseIterable {
  /// A server of many matches, without a player of its own.
  case dedicated
  /// Shows the results.
  case leaderboard
  /// Shows the results of several servers together.
  case results
  /// Sends a command to an open match server.
  case administration

  /// The mode of the process's arguments: its word is the first one, or its option is written out in full. Each mode has its own
  /// options.
  static var asked: HostMode? {
    if CommandLine.arguments.dropFirst().first == JoinedResultsMode.word { return .results }
    let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
    return allCases.first { mode in options.contains { mode.names.contains(String($0)) } }
  }

  private var names: [String] {
    switch self {
    case .dedicated: ["--dedicated"]
    case .leaderboard: ["--leaderboard", "--history"]
    case .results: []
    case .administration: ["--admin-command"]
    }
  }

  private var command: Command {
    switch self {
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
      case .dedicated: try await DedicatedMode.run(arguments)
      case .leaderboard: try await LeaderboardMode.run(arguments)
      case .results: try await JoinedResultsMode.run(arguments)
      case .administration: try await AdminMode.run(arguments)
      }
    }
  }
}
