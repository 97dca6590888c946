#if Directory
import Bonjourish
import Synchronization

/// Passes on the news of a directory.
final class DirectoryReporter: Sendable {
  private let outage = Mutex(DirectoryOutage())
  private let region: String
  private let isAlone: Bool
  private let handler: @Sendable (DirectoryNews) -> Void

  /// - Parameter isAlone: Whether the local network is not used.
  init(_ region: String, isAlone: Bool, _ handler: @escaping @Sendable (DirectoryNews) -> Void) {
    self.region = region
    self.isAlone = isAlone
    self.handler = handler
  }

  /// Takes the state of the directory.
  ///
  /// - Parameter reason: Why it cannot be reached; nil if it answers.
  func changed(_ reason: String?) {
    tell { $0.change(reason, at: .now) }
    guard let deadline = outage.withLock({ $0.deadline }) else { return }
    Task {
      try? await Task.sleep(until: deadline, clock: .continuous)
      self.tell { $0.advance(to: .now) }
    }
  }

  /// Takes that the directory refuses this program, or is not tried again.
  func refused(_ error: DiscoveryError) { tell { $0.refuse(error, isAlone: isAlone) } }

  /// Takes that the directory does not permit something that goes on without it.
  func denied(_ error: DiscoveryError) { tell { _ in .denied(error.message) } }

  /// Under the lock, so that news stay in their order.
  private func tell(_ step: (inout DirectoryOutage) -> DirectoryNews.Event?) {
    outage.withLock { outage in
      if let event = step(&outage) { handler(DirectoryNews(region: region, event: event)) }
    }
  }
}
#endif
