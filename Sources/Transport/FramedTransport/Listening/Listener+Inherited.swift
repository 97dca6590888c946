import CBonjourishLinux
public import FramedCoding
import _BonjourishEventLoop

extension Listener {
  /// Reads the environment variables with which a service manager hands over sockets, and removes them.
  ///
  /// ``inherited(named:format:limits:pending:security:on:log:)`` does that, too. Call this at the start of a program that asks for the
  /// sockets only later: other threads must not read the environment while it changes.
  ///
  /// - Throws: `unusableSocket` if the variables are invalid.
  public static func readInheritedEnvironment() throws(TransportError) { try InheritedSockets.shared.read() }

  /// Returns listeners for the sockets that the program inherited from systemd or a compatible service manager.
  ///
  /// With *socket activation* the manager listens, and starts the program at the first connection. The program needs no rights to
  /// open the port, and no connection is refused while it restarts. The manager describes the sockets in the environment
  /// variables `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` (sd_listen_fds(3)). The first call reads and removes them, so that
  /// child processes do not use them. Changing the environment is unsafe while other threads read it, so call this at the start
  /// of the program.
  ///
  /// Each socket can be taken once. Closing the listener ends this process's use of the socket; the manager keeps it open.
  ///
  /// - Parameters:
  ///   - name: The manager's name of the sockets to take (`FileDescriptorName=`, systemd.socket(5)); nil for all that are left.
  ///   - format: The format of the frames.
  ///   - limits: The limits of each connection.
  ///   - pending: The limits for pending connections.
  ///   - security: The protection of the connections.
  ///   - loops: The loops that serve the connections; see ``bind(port:interface:format:limits:pending:security:on:log:)``.
  ///   - log: The handler of log messages; `nil` for none. Called on any thread. It must not block.
  /// - Returns: A listener for each socket, in the manager's order; none if the program was not started by socket activation.
  /// - Throws: `unusableSocket` if a socket is not a listening stream socket (with `Accept=yes` it is a connection), or the
  ///   environment variables are invalid; `outOfResources`.
  public static func inherited(
    named name: String? = nil, format: FrameFormat = .standard, limits: TransportLimits = .standard,
    pending: PendingConnectionLimits = .standard,
    security: ListenerSecurity = .plaintext, on loops: TransportLoops = .perCore,
    log: (@Sendable (LogMessage) -> Void)? = nil
  ) async throws(TransportError) -> [Listener] {
    let transportLoops = try loops.started()
    let entries = try InheritedSockets.shared.take(named: name)
    // All are checked before any is used: an unusable descriptor may belong to other code, and must not be closed here.
    let addresses = try entries.map { (entry) throws(TransportError) in try InheritedSockets.address(of: entry) }
    var listeners: [Listener] = []
    for (entry, address) in zip(entries, addresses) {
      let socket = try ListeningSocket.inherit(entry.descriptor, at: address, limits)
      let acceptor = Acceptor(
        [socket], at: [address], format: format, limits: limits, pending: pending, security: security, on: transportLoops,
        log: log)
      try await acceptor.start()
      listeners.append(Listener(acceptor, addresses: [address], name: entry.name))
    }
    return listeners
  }
}
