import CBonjourishLinux
import _BonjourishEventLoop

/// The sockets that a service manager has opened for this process (sd_listen_fds(3)). Each can be taken once.
final class InheritedSockets: Sendable {
  /// An inherited descriptor and the manager's name for it.
  struct Entry: Hashable, Sendable {
    let descriptor: CInt
    let name: String
  }

  static let shared = InheritedSockets()

  /// The first inherited descriptor, after those of standard input, output and error.
  private static let firstDescriptor: CInt = 3

  private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

  /// The sockets that have not been taken; nil before the first call of `take`.
  private let entries = Locked<[Entry]?>(nil)

  /// Reads the environment variables, unless that has been done.
  ///
  /// - Throws: `unusableSocket` if they are invalid.
  func read() throws(TransportError) { _ = try take { _ in false } }

  /// Takes the sockets with a name, or all.
  ///
  /// - Throws: `unusableSocket` if the environment variables are invalid.
  func take(named name: String?) throws(TransportError) -> [Entry] { try take { name == nil || $0.name == name } }

  private func take(_ isWanted: (Entry) -> Bool) throws(TransportError) -> [Entry] {
    try entries.withLock { (entries) throws(TransportError) in
      let all = if let entries { entries } else { try Self.fromEnvironment() }
      let taken = all.filter(isWanted)
      entries = all.filter { !taken.contains($0) }
      return taken
    }
  }

  /// Reads the environment variables and removes them, so that child processes do not use them.
  private static func fromEnvironment() throws(TransportError) -> [Entry] {
    let values = variables.map { getenv($0).map { String(cString: $0) } }
    for variable in variables { unsetenv(variable) }
    let entries = try parse(processID: values[0], count: values[1], names: values[2], of: getpid())
    for entry in entries {
      do throws(SystemError) {
        try systemCall("fcntl") { linux_fcntl(entry.descriptor, F_SETFD, FD_CLOEXEC) }
      } catch {
        throw unusable("descriptor \(entry.descriptor) is not open; check how this program is started", error.errno)
      }
    }
    return entries
  }

  /// Parses the values of the environment variables.
  ///
  /// - Returns: No entries if there are no variables or they are for another process.
  static func parse(
    processID: String?, count: String?, names: String?, of process: pid_t
  ) throws(TransportError) -> [Entry] {
    guard let processID, let count else { return [] }
    guard let addressee = pid_t(processID), addressee > 0 else { throw unusable("LISTEN_PID is not a process ID") }
    guard addressee == process else { return [] }
    guard let count = UInt16(count) else { throw unusable("LISTEN_FDS is not a number of sockets") }
    var list = [String](repeating: "unknown", count: Int(count))
    // "unknown" is the name of a socket without one (sd_listen_fds_with_names(3)).
    if let names, !names.isEmpty { list = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init) }
    guard list.count == Int(count) else { throw unusable("LISTEN_FDNAMES has \(list.count) names for \(count) sockets") }
    return list.enumerated().map { Entry(descriptor: firstDescriptor + CInt($0.offset), name: $0.element) }
  }

  /// Returns the address of an inherited socket.
  ///
  /// - Throws: `unusableSocket` if it is not a listening stream socket.
  static func address(of entry: Entry) throws(TransportError) -> SocketAddress {
    let what = "descriptor \(entry.descriptor) (\"\(entry.name)\")"
    let address: SocketAddress?
    do throws(SystemError) {
      let isStream = try option(SO_TYPE, of: entry.descriptor) == CInt(SOCK_STREAM.rawValue)
      guard isStream, try option(SO_ACCEPTCONN, of: entry.descriptor) != 0 else {
        throw SystemError("getsockopt", errno: EOPNOTSUPP)
      }
      address = try SocketAddress.filled { (address, size) throws(SystemError) in
        try systemCall("getsockname") { getsockname(entry.descriptor, address, size) }
      }
    } catch {
      let reason = "\(what) is not a listening stream socket; use ListenStream= and Accept=no in the socket unit"
      throw unusable(reason, error.errno)
    }
    guard let address else { throw unusable("\(what) has an unsupported address family", EAFNOSUPPORT) }
    return address
  }

  private static func option(_ option: CInt, of descriptor: CInt) throws(SystemError) -> CInt {
    var value: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    try systemCall("getsockopt") { getsockopt(descriptor, SOL_SOCKET, option, &value, &size) }
    return value
  }

  private static func unusable(_ reason: String, _ errno: CInt? = nil) -> TransportError {
    TransportError(.unusableSocket, errno: errno, "Taking over sockets failed: \(reason)")
  }
}
