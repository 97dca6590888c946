import Glibc

/// A system call that failed: which one, and the kernel's reason.
@usableFromInline
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call's name, as in section 2 of the manual.
  package let call: String
  /// The `errno` it left.
  package let errno: CInt

  package init(_ call: String, errno: CInt) {
    self.call = call
    self.errno = errno
  }

  /// The kernel's words for the error number, such as "Connection refused".
  package var reason: String { Self.reason(of: errno) }

  @usableFromInline package var description: String { "\(call): \(reason)" }

  /// The kernel's words for an error number.
  package static func reason(of errno: CInt) -> String {
    // glibc's strerror is thread-safe since 2.32 and always returns a string.
    String(cString: strerror(errno))
  }
}

/// Why the last call failed; `nil` when a signal came in between, so that it has to be made again.
@usableFromInline
func failure(of call: String) -> SystemError? {
  let reason = errno
  return reason == EINTR ? nil : SystemError(call, errno: reason)
}

/// The one way this project makes system calls: again after a signal, and −1 turned into an error.
///
/// Inlinable so that it is specialised in other modules: it stands around every call.
///
/// - Parameters:
///   - name: The call's name, for the error.
///   - body: The call.
/// - Returns: What the call returned, when that is not −1.
/// - Throws: ``SystemError`` with the `errno` of the call.
@discardableResult
@inlinable @inline(__always)
package func systemCall<Result: FixedWidthInteger & SignedInteger>(
  _ name: @autoclosure () -> String, _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    if let failure = failure(of: name()) { throw failure }
  }
}
