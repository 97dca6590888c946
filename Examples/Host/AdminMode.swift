import Console
import Discovery
import Foundation
import FramedTransport
import Rooms

/// `twentyfour-host --admin-command`: a word to a house that is open.
enum AdminMode {
  static let socket = Option.required("admin", "PATH", .text, "the socket of the house, as it was started with")
  static let line = Option.required("admin-command", "COMMAND", .text, "what to tell it: \(AdminCommand.help)")

  static let command = Command(
    "twentyfour-host", version: HostMode.version, summary: "Tells a house that is open what to do.",
    options: [socket, line, LeaderboardMode.json],
    examples: [
      .init("twentyfour-host --admin /run/twentyfour/admin --admin-command list", "who plays in which match"),
      .init("twentyfour-host --admin /run/twentyfour/admin --admin-command 'kick 7 Bob'", "show Bob out of match 7"),
    ])

  static func run(_ arguments: Arguments) async throws {
    guard AdminCommand(arguments[line]) != nil else {
      throw command.usageError("--admin-command is \(AdminCommand.help), not '\(arguments[line])'")
    }
    let body = try await answer(to: arguments[line], at: arguments[socket])
    guard let reply = try? JSONDecoder().decode(AdminReply.self, from: Data(body)) else {
      throw Failure(.protocolError, "what listens at \(arguments[socket]) is no house, or one of another version")
    }
    if let error = reply.error { throw Failure(.unavailable, error) }
    if arguments[LeaderboardMode.json] { return Output.standard.json(reply) }
    if let done = reply.done { Output.standard.line(done.visible) }
    if let matches = reply.matches { show(matches) }
    // Numbers with names tell more than any table of ours could.
    if let statistics = reply.statistics { Output.standard.json(statistics) }
  }

  private static func answer(to line: String, at path: String) async throws(Failure) -> [UInt8] {
    do throws(TransportError) {
      let connection = try await Connection.connect(
        to: [try SocketAddress(unixPath: path)], format: AdminChannel.format, within: .seconds(5))
      try await connection.send(Array(line.utf8))
      var frames = connection.frames.makeAsyncIterator()
      let answer = try await frames.next()
      await connection.close()
      if let answer { return answer }
    } catch {
      throw Failure(.unavailable, error.description)
    }
    throw Failure(.unavailable, "the house at \(path) gave no answer; are you the user that runs it?")
  }

  private static func show(_ matches: [MatchOverview]) {
    guard !matches.isEmpty else { return Output.standard.line("there is no match") }
    for match in matches {
      let places = "\(match.players.count) of \(match.minimum) to \(match.maximum) players"
      let watchers = match.watchers > 0 ? ", \(match.watchers) looking on" : ""
      Output.standard.line("match \(match.number): \(match.state), round \(match.round), \(places)\(watchers)")
      for player in match.players {
        Output.standard.line("  \(player.visible)\(match.away.contains(player) ? " (away)" : "")")
      }
    }
  }
}
