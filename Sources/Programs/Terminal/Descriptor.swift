import CBonjourishLinux
package import _BonjourishEventLoop

/// Writes all of the bytes to a descriptor; blocks until that is done.
///
/// - Throws: The error of the failed call; some of the bytes may have been written.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
  var rest = bytes[...]
  while !rest.isEmpty {
    do throws(SystemError) {
      let count = try systemCall("write") { rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
      rest = rest.dropFirst(count)
    } catch {
      // Another process that shares the terminal or pipe may have made it non-blocking.
      guard error.errno == EAGAIN else { throw error }
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      try systemCall("poll") { poll(&request, 1, -1) }
    }
  }
}
