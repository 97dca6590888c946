import Glibc

/// A system call that failed: which one, and the kernel's reason.
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

  package var description: String { "\(call): \(reason)" }

  /// The kernel's words for an error number.
  package static func reason(of errno: CInt) -> String {
    // glibc's strerror is thread-safe since 2.32 and always returns a string.
    String(cString: strerror(errno))
  }
}

/// The one way this project makes system calls: again after a signal, and −1 turned into an error.
///
/// - Parameters:
///   - name: The call's name, for the error.
///   - body: The call.
/// - Returns: What the call returned, when that is not −1.
/// - Throws: ``SystemError`` with the `errno` of the call.
@discardableResult
package func systemCall(_ name: @autoclosure () -> String, _ body: () -> CInt) throws(SystemError) -> CInt {
  try repeated(name(), body)
}

/// The same for a call that returns a size.
@discardableResult
package func systemCall(_ name: @autoclosure () -> String, _ body: () -> Int) throws(SystemError) -> Int {
  try repeated(name(), body)
}

// Not generic for other modules: there it would not be specialised, and cost a good part of what a short call does.
@inline(__always)
private func repeated<Result: FixedWidthInteger & SignedInteger>(
  _ name: @autoclosure () -> String, _ body: () -> Result
) throws(SystemError) -> Result {
  while true {
    let result = body()
    if result != -1 { return result }
    let reason = errno
    if reason != EINTR { throw SystemError(name(), errno: reason) }
  }
}
