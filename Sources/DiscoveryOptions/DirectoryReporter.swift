#if Directory
import Synchronization

/// Passes on the news of a directory.
final class DirectoryReporter: Sendable {
  private let outage = Mutex(DirectoryOutage())
  private let region: String
  private let told: @Sendable (DirectoryNews) -> Void

  init(_ region: String, _ told: @escaping @Sendable (DirectoryNews) -> Void) {
    self.region = region
    self.told = told
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

  /// Takes that the directory is not tried again.
  func ended(_ reason: String) { tell { $0.end(reason) } }

  /// Under the lock, so that news stay in their order.
  private func tell(_ step: (inout DirectoryOutage) -> DirectoryNews.Event?) {
    outage.withLock { outage in
      if let event = step(&outage) { told(DirectoryNews(region: region, event: event)) }
    }
  }
}
#endif
