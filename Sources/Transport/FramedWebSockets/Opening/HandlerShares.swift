import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// Who has the places for handlers that run at the same time: a value without threads.
///
/// One address has a share of them. A path that answers somebody leaves a place for each path that answers nobody, up to half of all places,
/// so that a slow path does not keep the others from answering.
struct HandlerShares: Sendable {
  private let limits: WebHandlerLimits
  /// The number of paths that have handlers.
  private let pathCount: Int
  private var running = 0
  private var byAddress: [AddressBlock: Int] = [:]
  private var byPath: [String: Int] = [:]

  init(_ limits: WebHandlerLimits, pathCount: Int) {
    self.limits = limits
    self.pathCount = pathCount
  }

  /// Takes a place; returns false if there is none for that path and address.
  ///
  /// - Parameter address: The address of the client; `nil` where clients have none.
  mutating func take(_ path: String, for address: AddressBlock?) -> Bool {
    let kept = byPath[path] == nil ? 0 : min(pathCount - byPath.count, limits.count / 2)
    guard running + kept < limits.count, address.map({ byAddress[$0, default: 0] < limits.countPerAddress }) ?? true else {
      return false
    }
    running += 1
    byPath[path, default: 0] += 1
    if let address { byAddress[address, default: 0] += 1 }
    return true
  }

  mutating func giveBack(_ path: String, of address: AddressBlock?) {
    running -= 1
    byPath[path] = Self.less(byPath[path])
    if let address { byAddress[address] = Self.less(byAddress[address]) }
  }

  private static func less(_ count: Int?) -> Int? { count.flatMap { $0 > 1 ? $0 - 1 : nil } }
}

/// The places for the handlers of all connections of a listener.
final class HandlerPlaces: Sendable {
  private let shares: Locked<HandlerShares>

  init(_ shares: HandlerShares) {
    self.shares = Locked(shares)
  }

  /// Takes a place; `nil` if there is none.
  func take(_ path: String, for address: AddressBlock?) -> HandlerPlace? {
    guard shares.withLock({ $0.take(path, for: address) }) else { return nil }
    return HandlerPlace { self.shares.withLock { $0.giveBack(path, of: address) } }
  }
}

/// A place that was taken.
struct HandlerPlace: Sendable {
  /// Gives it back. Called once, when the handler has returned.
  let giveBack: @Sendable () -> Void
}
