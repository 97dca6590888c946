import CLinux
import EventLoop
import Glibc

/// The sockets that a service manager has opened for this process (sd_listen_fds(3)), each to be taken once.
final class InheritedSockets: Sendable {
  /// A descriptor that was handed over, and what the manager calls it.
  struct Entry: Hashable, Sendable {
    let descriptor: CInt
    let name: String
  }

  static let shared = InheritedSockets()

  /// The first descriptor that is handed over, after those of standard input, output and error.
  private static let firstDescriptor: CInt = 3

  private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

  /// Those that nobody has taken; nil as long as nobody has asked.
  private let entries = Locked<[Entry]?>(nil)

  /// Takes those of a name, or all.
  ///
  /// - Throws: `unusableSocket` when what the environment says cannot be true.
  func take(named name: String?) throws(TransportError) -> [Entry] {
    try entries.withLock { (entries) throws(TransportError) in
      let all = if let entries { entries } else { try Self.fromEnvironment() }
      let taken = all.filter { name == nil || $0.name == name }
      entries = all.filter { !taken.contains($0) }
      return taken
    }
  }

  /// Reads the environment and takes out what concerns only this process; children must not believe that it is for them.
  private static func fromEnvironment() throws(TransportError) -> [Entry] {
    let values = variables.map { getenv($0).map { String(cString: $0) } }
    for variable in variables { unsetenv(variable) }
    let entries = try parse(processID: values[0], count: values[1], names: values[2], of: getpid())
    for entry in entries {
      do throws(SystemError) {
        try systemCall("fcntl") { fcntl(entry.descriptor, F_SETFD, FD_CLOEXEC) }
      } catch {
        throw unusable("descriptor \(entry.descriptor) is not open; look at what starts this program", error.errno)
      }
    }
    return entries
  }

  /// What the variables say.
  ///
  /// - Returns: Nothing when there are none, or they are meant for another process.
  static func parse(
    processID: String?, count: String?, names: String?, of process: pid_t
  ) throws(TransportError) -> [Entry] {
    guard let processID, let count else { return [] }
    guard let addressee = pid_t(processID), addressee > 0 else { throw unusable("LISTEN_PID is not the number of a process") }
    guard addressee == process else { return [] }
    guard let count = UInt16(count) else { throw unusable("LISTEN_FDS is not a number of sockets") }
    var list = [String](repeating: "unknown", count: Int(count))
    // Without names, that is what each is called (sd_listen_fds_with_names(3)).
    if let names, !names.isEmpty { list = names.split(separator: ":", omittingEmptySubsequences: false).map(String.init) }
    guard list.count == Int(count) else { throw unusable("LISTEN_FDNAMES has \(list.count) names for \(count) sockets") }
    return list.enumerated().map { Entry(descriptor: firstDescriptor + CInt($0.offset), name: $0.element) }
  }

  /// Where a socket that was handed over listens.
  ///
  /// - Throws: `unusableSocket` when it is none from which connections of streams can be accepted.
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
      let reason = "\(what) is no stream socket that listens; in a socket unit that takes ListenStream= and Accept=no"
      throw unusable(reason, error.errno)
    }
    guard let address else { throw unusable("\(what) listens in a family of addresses that is not supported", EAFNOSUPPORT) }
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
