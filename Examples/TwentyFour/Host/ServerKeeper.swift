import Bonjourish
import MatchServer
import Screens
import _BonjourishConsole
import _BonjourishJSONOutput

/// The work beside an open match server: administration, signals, and messages about its advertisement.
struct ServerKeeper: Sendable {
  private let notices: AsyncStream<AdministratorSignal>
  private let administration: AdminServer?
  private let diagnostics: Diagnostics

  /// Prepares everything before the server opens.
  ///
  /// - Parameter path: The name of the administration socket; nil for none.
  init(admin path: String?, _ diagnostics: Diagnostics) async throws(Failure) {
    // From now on these signals do not end the process.
    notices = AdministratorSignal.all
    administration = if let path { try await AdminServer(at: path, diagnostics) } else { nil }
    self.diagnostics = diagnostics
  }

  /// Returns when the server is closed, or the task is cancelled.
  func keep(_ server: MatchServer, _ service: PublishedService?) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await obeySignals(server) }
      if let administration { group.addTask { await administration.serve(server) } }
      if let service { group.addTask { await tell(service.events) } }
      await server.closed()
      group.cancelAll()
    }
  }

  private func obeySignals(_ server: MatchServer) async {
    for await notice in notices {
      switch notice {
      case .statistics:
        let statistics = JSONLine.text(of: await server.statistics)
        diagnostics.notice(Phrases.Server.statistics(statistics))
      case .drain:
        diagnostics.notice(Phrases.Server.drainsBySignal)
        await server.drain()
      }
    }
  }

  /// Logs events of the server's advertisement; they do not affect its players.
  private func tell(_ events: ServiceEvents) async {
    do {
      for try await event in events {
        switch event {
        case .renamed(_, let name): diagnostics.warning(Phrases.Server.renamed("\(name)"))
        case .interrupted(let error): diagnostics.warning(Phrases.Server.hidden(error.message))
        case .restored: diagnostics.notice(Phrases.Server.visibleAgain)
        @unknown default: break
        }
      }
    } catch {
      diagnostics.warning(Phrases.Server.hidden(error.message))
    }
  }
}
