#if THREAD_SANITIZER
  import Glibc

  /// A value behind a lock.
  ///
  /// This is the form for ThreadSanitizer, which does not understand a contended `Synchronization.Mutex` and
  /// reports races that are none; a pthread mutex it understands. Build with `-Xswiftc -DTHREAD_SANITIZER`.
  public struct Locked<Value>: ~Copyable, Sendable {
    /// Sendable because `value` is touched only while `mutex` is held.
    private final class Storage: @unchecked Sendable {
      // A pthread mutex must not move, hence memory of its own rather than a property.
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

    public init(_ value: sending Value) {
      storage = Storage(value)
    }

    /// Runs `body` while holding the lock; keep it short, and call nothing foreign from it.
    public borrowing func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(storage.mutex)
      defer { pthread_mutex_unlock(storage.mutex) }
      // In place, for a copy of a large value would make every access slow. The lock makes the access exclusive, which
      // region analysis cannot see through a class.
      nonisolated(unsafe) let value = storage.value
      return try body(&value.pointee)
    }
  }
#else
  public import Synchronization

  /// A value behind a lock.
  ///
  /// Public and inlinable so that it is specialised in other modules, which the compiler does not do for what is `package`:
  /// as a generic call it costs several times what the lock does.
  public struct Locked<Value>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Value>

    @inlinable
    public init(_ value: sending Value) {
      mutex = Mutex(value)
    }

    /// Runs `body` while holding the lock; keep it short, and call nothing foreign from it.
    @inlinable
    public borrowing func withLock<Result, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      try mutex.withLock(body)
    }
  }
#endif
