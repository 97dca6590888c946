import Foundation
import FramedJSON
import FramedTransport
import MatchServer
import Rooms
import Screens
import TwentyFour
import _BonjourishConsole

/// A match server's administration socket, only for its own user and root.
struct AdminServer: Sendable {
  private let listener: Listener
  private let diagnostics: Diagnostics

  /// Listens; connections wait until there is a server.
  init(at path: String, _ diagnostics: Diagnostics) async throws(Failure) {
    do throws(TransportError) {
      listener = try await Listener.bind(to: SocketAddress(unixPath: path), format: AdminChannel.format, on: .one)
    } catch {
      throw Failure(.unavailable, error.description)
    }
    self.diagnostics = diagnostics
  }

  /// Answers for a server until the task is cancelled; then the socket's file is removed.
  func serve(_ server: MatchServer) async {
    await listener.serve { connection in await serve(connection, for: server) }
    await listener.close()
  }

  private func serve(_ connection: Connection, for server: MatchServer) async {
    // The file's mode already keeps other users out; here the kernel tells the peer's user.
    guard let user = connection.peerCredentials?.userID, user == geteuid() || user == 0 else { return connection.abort() }
    do throws(MessagingError) {
      try await connection.answerRequests(AdminChannel.requests, replies: AdminChannel.replies) { command, _ in
        try await reply(to: command, of: server)
      }
    } catch {
      diagnostics.detail(Phrases.Server.administratorLeft("\(error)"))
    }
  }

  /// - Throws: `RemoteError` with the reason why nothing was done.
  private func reply(to command: AdminCommand, of server: MatchServer) async throws(RemoteError) -> AdminReply {
    switch command {
    case .list: return AdminReply(matches: await server.overview)
    case .statistics: return AdminReply(statistics: await server.statistics)
    case .drain:
      diagnostics.notice(Phrases.Server.drainsByCommand)
      await server.drain()
      return AdminReply(done: Phrases.Server.drains)
    case .passcode:
      guard let passcode = server.passcode else { throw RemoteError("noPasscode", RoomReason.noPasscode.text) }
      return AdminReply(done: Phrases.Server.passcodeIs(passcode))
    case .web:
      guard let addresses = server.webAddresses else {
        throw RemoteError("noPage", Phrases.Server.noPage)
      }
      return AdminReply(
        done: addresses.isEmpty ? Phrases.Server.noAddress : Phrases.Server.addresses(addresses))
    case .reopen:
      guard server.reopen() else { throw RemoteError("noPasscode", RoomReason.noPasscode.text) }
      diagnostics.notice(Phrases.Server.reopenedByCommand)
      return AdminReply(done: Phrases.Server.reopened)
    case .close(let number):
      guard await server.closeMatch(number) else { throw RemoteError("noMatch", Phrases.Server.noMatch("\(number)")) }
      diagnostics.notice(Phrases.Server.closedByCommand("\(number)"))
      return AdminReply(done: Phrases.Server.closed("\(number)"))
    case .rule:
      guard let (rule, match) = command.rule else { throw RemoteError("command", Phrases.Server.noCommand) }
      do throws(RoomReason) {
        try await server.decide(rule, in: match)
      } catch {
        throw RemoteError(RemoteError.Code(rawValue: error.code.rawValue), error.text)
      }
      let done = Phrases.Server.done(rule.word, rule.player?.description, in: "\(match)")
      diagnostics.notice(Phrases.Server.byCommand(done))
      return AdminReply(done: done)
    }
  }
}
