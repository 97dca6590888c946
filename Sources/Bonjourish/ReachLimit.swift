import Discovery
import EventLoop

/// The reason why only services of this machine can be found, which the backend tells on its thread and others read.
package final class ReachLimit: Sendable {
  private let state = Locked<DiscoveryError?>(nil)

  package init() {}

  package var reason: DiscoveryError? { state.withLock { $0 } }

  func set(_ reason: DiscoveryError?) { state.withLock { $0 = reason } }
}
