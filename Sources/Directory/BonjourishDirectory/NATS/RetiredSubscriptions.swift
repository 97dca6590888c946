import CBonjourishNATS
import _BonjourishEventLoop

/// Subscriptions that have ended and are freed later.
///
/// Until version 3.6.1 the library's reading thread uses a subscription for a moment without holding it: a message that was just coming
/// for one that was freed ended the process (nats.c#637; Debian 12 has 3.4.1). So a subscription is ended at once, which takes it off the
/// library's table, and its memory is given back when that thread has long gone on.
struct RetiredSubscriptions<Pointer> {
  /// The shortest time from the end of a subscription to its release.
  static var delay: Duration { .seconds(1) }
  /// The number that is kept in any case: after a pause of the whole process time says little.
  static var minimum: Int { 4 }

  private var waiting: [(pointer: Pointer, end: ContinuousClock.Instant)] = []

  /// Notes a subscription that has ended.
  ///
  /// - Returns: Those to free now.
  mutating func retire(_ pointer: Pointer, at now: ContinuousClock.Instant) -> [Pointer] {
    waiting.append((pointer, now))
    let old = waiting.prefix { now - $0.end >= Self.delay }.count
    let count = max(0, min(old, waiting.count - Self.minimum))
    defer { waiting.removeFirst(count) }
    return waiting.prefix(count).map(\.pointer)
  }
}

extension RetiredSubscriptions where Pointer == UInt {
  private static let shared = Locked(Self())

  /// Ends a subscription, and frees it later.
  static func end(_ subscription: OpaquePointer) {
    natsSubscription_Unsubscribe(subscription)
    // Freed outside of the lock: the library may tell that a connection has ended.
    for old in shared.withLock({ $0.retire(UInt(bitPattern: subscription), at: .now) }) {
      natsSubscription_Destroy(OpaquePointer(bitPattern: old))
    }
  }
}
