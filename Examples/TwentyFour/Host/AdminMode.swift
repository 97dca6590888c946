import FramedJSON
import FramedTransport
import MatchServer
import Screens
import _BonjourishConsole
import _BonjourishJSONOutput

/// `twentyfour-host --admin-command`: sends a command to an open match server.
enum AdminMode {
  static let socket = Option.required("admin", "PATH", .file, Phrases.Options.adminSocket)
  static let line = Option.required("admin-command", "COMMAND", .text, Phrases.Options.adminCommand)

  static let command = Command(
    "twentyfour-host", summary: Phrases.Commands.administration,
    options: [socket, line, LeaderboardMode.json],
    examples: [
      .init("twentyfour-host --admin /run/twentyfour/admin --admin-command list", Phrases.Commands.lists),
      .init("twentyfour-host --admin /run/twentyfour/admin --admin-command 'ban 7 2'", Phrases.Commands.bans),
    ])

  static func run(_ arguments: Arguments) async throws {
    guard let command = AdminCommand(arguments[line]) else {
      throw Self.command.usageError(Phrases.Server.notACommand(arguments[line]))
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
        throw Failure(.protocolError, Phrases.Server.notAServer(at: path))
      default: throw Failure(.unavailable, Phrases.Server.noAnswer(at: path))
      }
    }
  }

  private static func show(_ matches: [MatchOverview]) {
    guard !matches.isEmpty else { return Output.standard.line(Phrases.Server.noMatches) }
    for match in matches {
      Output.standard.line(
        Phrases.Server.match(
          match.number, "\(match.state)", round: match.round, players: match.players.count, of: match.minimum...match.maximum,
          spectators: match.watchers, isLocked: match.isLocked))
      for player in match.players {
        Output.standard.line(
          Phrases.Server.player(player.number, player.name, from: player.origin, isAway: player.away))
      }
    }
  }
}
