import Bonjourish
import EventLoop

/// Keeps a room's TXT record true, without saying more than the network should hear.
///
/// Only the latest state counts: of what changes while an update is under way, or within a fifth of a second after it, the
/// last is told.
final class Advertiser: Sendable {
  private struct State {
    var latest: RoomAdvertisement
    var isNew = false
    var isStopped = false
    var waiter = Waiter()
  }

  private static let shortestInterval: Duration = .milliseconds(200)
  /// What the service is published with.
  let first: RoomAdvertisement
  private let state: Locked<State>

  init(_ first: RoomAdvertisement) {
    self.first = first
    state = Locked(State(latest: first))
  }

  func advertise(_ advertisement: RoomAdvertisement) {
    state.withLock { state in
      guard state.latest != advertisement else { return }
      state.latest = advertisement
      state.isNew = true
      state.waiter.wake()
    }
  }

  /// Ends ``run(_:)``.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.waiter.wake()
    }
  }

  /// Tells the network of every change, until it is stopped or the service has failed.
  func run(_ service: PublishedService) async {
    while let advertisement = await next() {
      do throws(DiscoveryError) {
        try await service.update(txt: advertisement.txt)
      } catch {
        // The service's own events tell of it; the room goes on for those who are in it.
        return
      }
      // Ends early when the task is cancelled, as does what comes next.
      try? await Task.sleep(for: Self.shortestInterval)
    }
  }

  private func next() async -> RoomAdvertisement? {
    while !Task.isCancelled {
      let (advertisement, isStopped): (RoomAdvertisement?, Bool) = state.withLock { state in
        defer { state.isNew = false }
        return (state.isNew ? state.latest : nil, state.isStopped)
      }
      if isStopped { return nil }
      if let advertisement { return advertisement }
      await wait()
    }
    return nil
  }

  private func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard !state.isNew, !state.isStopped, !Task.isCancelled else { return false }
          state.waiter.set(continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.waiter.wake() }
    }
  }
}
