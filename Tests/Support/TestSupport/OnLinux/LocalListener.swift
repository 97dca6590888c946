import CBonjourishLinux
package import _BonjourishEventLoop

/// A socket of this machine that listens at a path; a leading zero byte stands for a name without a file.
///
/// - Parameter backlog: How many connections may wait to be accepted, beside one.
/// - Throws: `SystemError` when the path is too long, or taken.
package func localListener(at path: String, backlog: CInt = 16) throws(SystemError) -> OwnedDescriptor {
  let listener = OwnedDescriptor(
    try systemCall("socket") { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0) })
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { throw SystemError("bind", errno: ENAMETOOLONG) }
  withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
  let length = MemoryLayout<sa_family_t>.size + path.utf8.count + (path.utf8.first == 0 ? 0 : 1)
  try withUnsafePointer(to: &address) { pointer throws(SystemError) in
    let pointer = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
    try systemCall("bind") { bind(listener.number, pointer, socklen_t(length)) }
  }
  try systemCall("listen") { listen(listener.number, backlog) }
  return listener
}
