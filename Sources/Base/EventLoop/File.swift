import CBonjourishLinux

/// Reads the beginning of a file; all of it, if it has no more than `limit` bytes. Opening a FIFO does not wait.
///
/// - Parameter mustBeRegular: Refuses what is no regular file with the code `EINVAL`: a FIFO or a device could hang, or never end.
package func readFile(
  _ path: String, upTo limit: Int = .max, mustBeRegular: Bool = false
) throws(SystemError) -> [UInt8] {
  let descriptor = OwnedDescriptor(
    try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) })
  if mustBeRegular {
    var status = stat()
    try systemCall("fstat") { fstat(descriptor.number, &status) }
    guard status.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG) else { throw SystemError("open", errno: EINVAL) }
  }
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: min(limit, 65_536))
  while bytes.count < limit {
    let count = try systemCall("read") { read(descriptor.number, &buffer, min(buffer.count, limit - bytes.count)) }
    guard count > 0 else { break }
    bytes += buffer[..<count]
  }
  return bytes
}
