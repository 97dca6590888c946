import Foundation
import FramedJSON
import FramedTransport
import MatchServer
import Rooms
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
      diagnostics.detail("an administrator's connection ended: \(error)")
    }
  }

  /// - Throws: `RemoteError` with the reason why nothing was done.
  private func reply(to command: AdminCommand, of server: MatchServer) async throws(RemoteError) -> AdminReply {
    switch command {
    case .list: return AdminReply(matches: await server.overview)
    case .statistics: return AdminReply(statistics: await server.statistics)
    case .drain:
      diagnostics.notice("draining on an administrator's command: no new players are accepted")
      await server.drain()
      return AdminReply(done: "no new players are accepted; the server closes when its last match is over")
    case .passcode:
      guard let passcode = server.passcode else { throw RemoteError("noPasscode", RoomReason.noPasscode.text) }
      return AdminReply(done: "the passcode is \(passcode)")
    case .web:
      guard let addresses = server.webAddresses else {
        throw RemoteError("noPage", "phones are not let in; start with --web for that")
      }
      return AdminReply(
        done: addresses.isEmpty ? "this machine has no address for phones" : addresses.joined(separator: " or "))
    case .reopen:
      guard server.reopen() else { throw RemoteError("noPasscode", RoomReason.noPasscode.text) }
      diagnostics.notice("passcodes are evaluated again, on an administrator's command")
      return AdminReply(done: "passcodes are evaluated again")
    case .close(let number):
      guard await server.closeMatch(number) else { throw RemoteError("noMatch", "there is no match \(number)") }
      diagnostics.notice("match \(number) was closed by an administrator")
      return AdminReply(done: "match \(number) is closed")
    case .rule:
      guard let (rule, match) = command.rule else { throw RemoteError("command", "there is no such command") }
      do throws(RoomReason) {
        try await server.decide(rule, in: match)
      } catch {
        throw RemoteError(RemoteError.Code(rawValue: error.code.rawValue), error.text)
      }
      let done = "match \(match): \(rule.word)" + (rule.player.map { " \($0)" } ?? "")
      diagnostics.notice("\(done), by an administrator")
      return AdminReply(done: done)
    }
  }
}
