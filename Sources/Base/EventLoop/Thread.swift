import CBonjourishLinux

/// Runs a body on a new thread; the body may block.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  let failure = makeThread(body)
  precondition(failure == 0, "cannot start a thread: \(String(cString: strerror(failure)))")
}

/// Makes a thread that runs a body; returns 0 or the system's error number.
package func makeThread(_ body: @escaping @Sendable () -> Void) -> CInt {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let box = Unmanaged.passRetained(Box(body))
  let failure = pthread_create(
    &thread, nil,
    { box in
      Unmanaged<Box>.fromOpaque(box!).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  guard failure == 0 else {
    // The thread that would have released it does not exist.
    box.release()
    return failure
  }
  pthread_detach(thread)
  return 0
}
