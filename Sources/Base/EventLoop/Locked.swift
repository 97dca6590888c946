#if THREAD_SANITIZER
import CBonjourishLinux

/// A value behind a lock.
///
/// This variant is for ThreadSanitizer, which reports false races with a contended `Synchronization.Mutex` but understands a
/// pthread mutex. Build with `-Xswiftc -DTHREAD_SANITIZER`.
public struct Locked<Value>: ~Copyable, Sendable {
  /// Sendable because `value` is touched only while `mutex` is held.
  private final class Storage: @unchecked Sendable {
    // Allocated, because a pthread mutex must not move.
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    init(_ value: Value) {
      self.value.initialize(to: value)
      pthread_mutex_init(mutex, nil)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }
  }

  private let storage: Storage

  /// Creates a locked value.
  public init(_ value: sending Value) {
    storage = Storage(value)
  }

  /// Runs `body` while holding the lock. Keep it short, and call no closures of others in it.
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(storage.mutex)
    defer { pthread_mutex_unlock(storage.mutex) }
    // In place, because copying a large value is slow. The lock makes the access exclusive, which region analysis cannot see.
    nonisolated(unsafe) let value = storage.value
    return try body(&value.pointee)
  }
}
#else
public import Synchronization

/// A value behind a lock.
///
/// Public and inlinable, so that other modules specialise it: an unspecialised call costs several times as much as the lock.
public struct Locked<Value>: ~Copyable, Sendable {
  @usableFromInline let mutex: Mutex<Value>

  /// Creates a locked value.
  @inlinable
  public init(_ value: sending Value) {
    mutex = Mutex(value)
  }

  /// Runs `body` while holding the lock. Keep it short, and call no closures of others in it.
  @inlinable
  public borrowing func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}
#endif
