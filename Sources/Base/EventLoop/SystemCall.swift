import CBonjourishLinux

/// The failure of a system call: its name and the kernel's reason.
@usableFromInline
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The call's name, as in section 2 of the manual pages.
  package let call: String
  /// The `errno` of the call.
  package let errno: CInt

  package init(_ call: String, errno: CInt) {
    self.call = call
    self.errno = errno
  }

  /// The text for the error number, such as "Connection refused".
  package var reason: String { Self.reason(of: errno) }

  @usableFromInline package var description: String { "\(call): \(reason)" }

  /// The text for an error number.
  package static func reason(of errno: CInt) -> String {
    // glibc's strerror is thread-safe since 2.32 and always returns a string.
    String(cString: strerror(errno))
  }
}

/// The failure of the last call; `nil` if a signal interrupted it and it must be repeated.
@usableFromInline
func failure(of call: String) -> SystemError? {
  let reason = linux_errno()
  return reason == EINTR ? nil : SystemError(call, errno: reason)
}

/// Makes a system call, repeats it after a signal, and turns −1 into an error.
///
/// Inlinable, so that other modules specialise it.
///
/// - Parameters:
///   - name: The call's name, for the error.
///   - body: The call.
/// - Returns: The result of the call, which is not −1.
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
