import Synchronization
import _BonjourishDiscovery

/// What the browsers and the published services of one ``Bonjour`` tell those that iterate over them.
final class DeliveryCounters: Sendable {
  private let changes = Atomic(0)
  private let waiting = Atomic(0)
  private let renames = Atomic(0)

  /// Counts a change that is told.
  func told() { changes.add(1, ordering: .relaxed) }

  /// Notes that more or fewer changes wait to be taken.
  func wait(_ change: Int) { if change != 0 { waiting.add(change, ordering: .relaxed) } }

  /// Counts a service that got another name.
  func renamed() { renames.add(1, ordering: .relaxed) }

  func add(to metrics: inout DiscoveryMetrics) {
    metrics.changes = changes.load(ordering: .relaxed)
    metrics.waitingChanges = waiting.load(ordering: .relaxed)
    metrics.renames = renames.load(ordering: .relaxed)
  }
}
