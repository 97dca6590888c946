import Bonjourish
import EventLoop

/// Keeps a room's TXT record true, without saying more than the network should hear.
///
/// Only the latest state counts: of what changes while an update is under way, or within an interval after it, the last is told
/// (RFC 6762 §8.4 asks for no more than ten updates a minute in the long run).
final class Advertiser: Sendable {
  private struct State {
    var latest: TXTRecord
    var isNew = false
    var isStopped = false
  }

  private enum Next {
    case advertise(TXTRecord)
    case stop
  }

  private let shortestInterval: Duration
  /// What the service is published with.
  let first: TXTRecord
  private let state: Watched<State>

  init(_ first: TXTRecord, atMostEvery interval: Duration = .seconds(1)) {
    self.first = first
    shortestInterval = interval
    state = Watched(State(latest: first))
  }

  func advertise(_ txt: TXTRecord) {
    state.change { state in
      guard state.latest != txt else { return }
      state.latest = txt
      state.isNew = true
    }
  }

  /// Ends ``run(_:)``.
  func stop() {
    state.change { $0.isStopped = true }
  }

  /// Tells the network of every change, until it is stopped or the service has failed.
  func run(_ service: PublishedService) async {
    while case .advertise(let txt)? = await next() {
      do throws(DiscoveryError) {
        try await service.update(txt: txt)
      } catch {
        // The service's own events tell of it; the room goes on for those who are in it.
        return
      }
      // Ends early when the task is cancelled, as does what comes next.
      try? await Task.sleep(for: shortestInterval)
    }
  }

  private func next() async -> Next? {
    await state.take { state in
      if state.isStopped { return .stop }
      guard state.isNew else { return nil }
      state.isNew = false
      return .advertise(state.latest)
    }
  }
}
