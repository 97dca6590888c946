import _BonjourishDiscovery
import _BonjourishEventLoop

/// The reason why only services of this machine can be found, which the backend tells on its thread and others read.
package final class ReachLimit: Sendable {
  private let state = Locked<DiscoveryError?>(nil)

  package init() {}

  package var reason: DiscoveryError? { state.withLock { $0 } }

  /// Notes the reach of operations that choose no interfaces.
  ///
  /// - Parameters:
  ///   - isBesideDirectory: Whether services are also found in a directory, which may be reached where multicast is not.
  ///   - handler: Called with the reason when it has changed.
  package func set(_ reach: Reach, besideDirectory isBesideDirectory: Bool = false, _ handler: (DiscoveryError?) -> Void) {
    let cause = reach.causes.first { $0.code == .thisMachineOnly }
    let reason = cause.map { _ in NetworkOutage.noInterface.limitation(besideDirectory: isBesideDirectory) }
    let isNew = state.withLock { known in
      defer { known = reason }
      return known != reason
    }
    if isNew { handler(reason) }
  }
}
