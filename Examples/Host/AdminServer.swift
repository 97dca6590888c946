import Console
import Discovery
import FramedTransport
import Glibc
import Rooms

/// The socket by which a house is administered, for its own user and root only.
struct AdminServer: Sendable {
  private let listener: Listener
  private let diagnostics: Diagnostics

  /// Listens; whoever comes waits until there is a house.
  init(at path: String, _ diagnostics: Diagnostics) async throws(Failure) {
    do throws(TransportError) {
      listener = try await Listener.bind(to: SocketAddress(unixPath: path), format: AdminChannel.format, on: .one)
    } catch {
      throw Failure(.unavailable, error.description)
    }
    self.diagnostics = diagnostics
  }

  /// Answers for a house until the task is cancelled; then the socket's file is gone.
  func serve(_ house: House) async {
    await listener.serve { connection in await serve(connection, for: house) }
    await listener.close()
  }

  private func serve(_ connection: Connection, for house: House) async {
    // The file's mode keeps others out already; here it is the kernel that says who it is.
    guard let user = connection.peerCredentials?.userID, user == geteuid() || user == 0 else { return connection.abort() }
    do throws(TransportError) {
      for try await frame in connection.frames {
        let line = String(validating: frame, as: UTF8.self)
        let reply = await reply(to: line.flatMap { AdminCommand($0) }, of: house)
        try await connection.send(Array(JSONLine.text(of: reply).utf8))
      }
    } catch {
      diagnostics.detail("an administrator went: \(error)")
    }
  }

  private func reply(to command: AdminCommand?, of house: House) async -> AdminReply {
    switch command {
    case nil:
      return AdminReply(error: "that is no command; say \(AdminCommand.help)")
    case .list:
      return AdminReply(matches: await house.overview)
    case .statistics:
      return AdminReply(statistics: await house.statistics)
    case .drain:
      diagnostics.notice("draining: nobody new is let in, as an administrator wants it")
      await house.drain()
      return AdminReply(done: "nobody new is let in; the house closes when its last match is over")
    case .close(let number):
      guard await house.closeMatch(number) else { return AdminReply(error: "there is no match \(number)") }
      diagnostics.notice("match \(number) was closed by an administrator")
      return AdminReply(done: "match \(number) is closed")
    case .kick(let name, let match):
      let found = await house.kick(name, from: match)
      switch found.count {
      case 0: return AdminReply(error: "nobody is called \(name)" + (match.map { " in match \($0)" } ?? ""))
      case 1:
        diagnostics.notice("\(name) was shown out of match \(found[0]) by an administrator")
        return AdminReply(done: "\(name) was shown out of match \(found[0])")
      default:
        let numbers = found.map(\.description).joined(separator: ", ")
        return AdminReply(error: "there is a \(name) in the matches \(numbers); say kick MATCH \(name)")
      }
    }
  }
}
