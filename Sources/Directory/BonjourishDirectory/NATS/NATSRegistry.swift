import CBonjourishNATS
import _BonjourishEventLoop

/// What the library's threads call.
///
/// A callback gets a number instead of a pointer to an object, and looks the object up here. So a callback that comes late, while a
/// connection or a subscription is being freed on another thread, finds nothing, and touches no freed memory.
enum NATSRegistry {
  /// What happens to a connection.
  enum Event: Sendable {
    case connected, disconnected, closed
    /// The server refuses something, or messages were dropped.
    case failed(NATSFailure)
  }

  /// Whoever is told, on a thread of the library.
  struct Listener: Sendable {
    var event: @Sendable (Event) -> Void = { _ in }
    var message: @Sendable (NATSMessage) -> Void = { _ in }
  }

  private struct Entries {
    var listeners: [UInt: Listener] = [:]
    var last: UInt = 0
  }

  private static let entries = Locked(Entries())

  /// - Returns: The number to hand to the library; never 0.
  static func insert(_ listener: Listener) -> UInt {
    entries.withLock { entries in
      entries.last += 1
      entries.listeners[entries.last] = listener
      return entries.last
    }
  }

  static func remove(_ number: UInt) {
    // Released outside of the lock: it may hold the last reference to something large.
    let former = entries.withLock { $0.listeners.removeValue(forKey: number) }
    _ = former
  }

  static func pointer(_ number: UInt) -> UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: number) }

  static func tell(_ event: Event, _ closure: UnsafeMutableRawPointer?) { listener(closure)?.event(event) }

  /// Hands a message over, and frees it in any case.
  static func receive(_ message: OpaquePointer?, _ closure: UnsafeMutableRawPointer?) {
    guard let message = NATSMessage(message) else { return }
    listener(closure)?.message(message)
  }

  private static func listener(_ closure: UnsafeMutableRawPointer?) -> Listener? {
    let number = UInt(bitPattern: closure)
    return entries.withLock { $0.listeners[number] }
  }
}
