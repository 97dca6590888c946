import Bonjourish
import Console
import Rooms

/// What is to be done while a house is open: to be administered, to obey signals, and to tell what happens to its advertisement.
struct HouseKeeper: Sendable {
  private let notices: AsyncStream<Notice>
  private let administration: AdminServer?
  private let diagnostics: Diagnostics

  /// Prepares everything, before there is a house.
  ///
  /// - Parameter path: The name of the socket to be administered over; nil for none.
  init(admin path: String?, _ diagnostics: Diagnostics) async throws(Failure) {
    // From now on these signals do not end the process.
    notices = Signals.notices()
    administration = if let path { try await AdminServer(at: path, diagnostics) } else { nil }
    self.diagnostics = diagnostics
  }

  /// Returns when the house is closed, or the task cancelled.
  func keep(_ house: House, _ service: PublishedService?) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await obeySignals(house) }
      if let administration { group.addTask { await administration.serve(house) } }
      if let service { group.addTask { await tell(service.events) } }
      await house.closed()
      group.cancelAll()
    }
  }

  private func obeySignals(_ house: House) async {
    for await notice in notices {
      switch notice {
      case .statistics:
        let statistics = JSONLine.text(of: await house.statistics)
        diagnostics.notice("statistics: \(statistics)")
      case .drain:
        diagnostics.notice("draining: nobody new is let in, and the house closes when its last match is over")
        await house.drain()
      }
    }
  }

  /// Tells what happens to the house's advertisement; those who are in it play on.
  private func tell(_ events: ServiceEvents) async {
    do {
      for try await event in events {
        switch event {
        case .renamed(_, let name): diagnostics.warning("the house is called \"\(name)\": another one has its name")
        case .interrupted(let error): diagnostics.warning("nobody new can find the house: \(error.message)")
        case .restored: diagnostics.notice("the house can be found again")
        }
      }
    } catch {
      diagnostics.warning("nobody new can find the house: \(error.message)")
    }
  }
}
