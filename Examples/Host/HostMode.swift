import Console
import PlayerConsole

/// What `twentyfour-host` is to be, if not a room of whoever starts it.
enum HostMode: CaseIterable {
  /// A house of many matches, with nobody at the host.
  case dedicated
  /// What the results tell.
  case leaderboard
  /// A word to a house that is open.
  case administration

  static let version = PlayerOptions.version

  /// What the process's arguments ask for: the option that says so is written out. Each mode has options of its own.
  static var asked: HostMode? {
    let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
    return allCases.first { mode in options.contains { mode.names.contains(String($0)) } }
  }

  private var names: [String] {
    switch self {
    case .dedicated: ["--dedicated"]
    case .leaderboard: ["--leaderboard", "--history"]
    case .administration: ["--admin-command"]
    }
  }

  private var command: Command {
    switch self {
    case .dedicated: DedicatedMode.command
    case .leaderboard: LeaderboardMode.command
    case .administration: AdminMode.command
    }
  }

  /// Does what was asked for, and ends the process.
  func run() async -> Never {
    let arguments = command.parseOrExit()
    await Program.run(Diagnostics(program: command.name, level: .warning)) {
      switch self {
      case .dedicated: try await DedicatedMode.run(arguments)
      case .leaderboard: try await LeaderboardMode.run(arguments)
      case .administration: try await AdminMode.run(arguments)
      }
    }
  }
}
