import FramedJSON
import FramedTransport
import MatchServer
import _BonjourishConsole

/// `twentyfour-host --admin-command`: sends a command to an open match server.
enum AdminMode {
  static let socket = Option.required("admin", "PATH", .file, "the server's socket, given when the server was started")
  static let line = Option.required("admin-command", "COMMAND", .text, "the command: \(AdminCommand.help)")

  static let command = Command(
    "twentyfour-host", summary: "Sends a command to an open match server.",
    options: [socket, line, LeaderboardMode.json],
    examples: [
      .init("twentyfour-host --admin /run/twentyfour/admin --admin-command list", "the matches and their players"),
      .init("twentyfour-host --admin /run/twentyfour/admin --admin-command 'ban 7 2'", "ban player 2 of match 7"),
    ])

  static func run(_ arguments: Arguments) async throws {
    guard let command = AdminCommand(arguments[line]) else {
      throw Self.command.usageError("--admin-command must be \(AdminCommand.help), not '\(arguments[line])'")
    }
    let reply = try await reply(to: command, at: arguments[socket])
    if arguments[LeaderboardMode.json] { return Output.standard.json(reply) }
    if let done = reply.done { Output.standard.line(done.escapedForDisplay) }
    if let matches = reply.matches { show(matches) }
    // Numbers with names are clearer than a table.
    if let statistics = reply.statistics { Output.standard.json(statistics) }
  }

  private static func reply(to command: AdminCommand, at path: String) async throws(Failure) -> AdminReply {
    let connection: Connection
    do throws(TransportError) {
      connection = try await Connection.connect(
        to: [try SocketAddress(unixPath: path)], format: AdminChannel.format, within: .seconds(5))
    } catch {
      throw Failure(.unavailable, error.description)
    }
    do throws(MessagingError) {
      return try await connection.withRequests(AdminChannel.requests, replies: AdminChannel.replies) {
        (server) throws(MessagingError) in
        try await server.request(command, within: .seconds(5))
      }
    } catch {
      switch error.code {
      case .refused: throw Failure(.unavailable, (error.remote?.text ?? error.description).escapedForDisplay)
      case .unreadable, .brokenRules:
        throw Failure(.protocolError, "the program at \(path) is not a match server, or has another version")
      default: throw Failure(.unavailable, "the server at \(path) gave no answer; are you the user that runs it?")
      }
    }
  }

  private static func show(_ matches: [MatchOverview]) {
    guard !matches.isEmpty else { return Output.standard.line("there are no matches") }
    for match in matches {
      let places = "\(match.players.count) of \(match.minimum) to \(match.maximum) players"
      let watchers = match.watchers > 0 ? ", \(match.watchers) watching" : ""
      let lock = match.isLocked ? ", locked" : ""
      Output.standard.line("match \(match.number): \(match.state), round \(match.round), \(places)\(watchers)\(lock)")
      for player in match.players {
        let origin = player.origin.map { " from \($0)" } ?? ""
        Output.standard.line(
          "  \(player.number) \(player.name.escapedForDisplay)\(origin.escapedForDisplay)\(player.away ? " (away)" : "")")
      }
    }
  }
}
