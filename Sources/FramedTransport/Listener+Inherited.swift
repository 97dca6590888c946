import EventLoop
public import Framing
import Glibc

extension Listener {
  /// Listeners for the sockets that the program was started with, by systemd or another manager that does as it does.
  ///
  /// With *socket activation* the manager listens, and starts the program when somebody connects. The program needs no rights to
  /// open the port, and while it is started anew nobody is turned away. What is handed over stands in the environment variables
  /// `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` (sd_listen_fds(3)). They are read when this is first called, and removed, so
  /// that children of this process do not take them for theirs. As all changes of the environment, that is to be done before
  /// other threads read it: call this at the beginning.
  ///
  /// Each socket can be taken once. To close the listener ends this process's use of the socket; the manager has it still.
  ///
  /// - Parameters:
  ///   - name: Only those of which the manager says this name (`FileDescriptorName=`, systemd.socket(5)), for different ones
  ///     may want different formats; nil for all that are left.
  ///   - format: The shape of the frames of their connections.
  ///   - limits: As for ``bind(port:interface:format:limits:newcomers:on:)``.
  ///   - newcomers: As there.
  ///   - loops: As there.
  /// - Returns: One for each socket, in the manager's order; none when the program was not started in this way.
  /// - Throws: `unusableSocket` when a socket is not a stream socket that listens (with `Accept=yes` it is a connection), or the
  ///   environment cannot be true; `outOfResources`.
  public static func inherited(
    named name: String? = nil, format: FrameFormat = .standard, limits: TransportLimits = .standard,
    newcomers: NewcomerLimits = .standard, on loops: TransportLoops = .perCore
  ) async throws(TransportError) -> [Listener] {
    let homes = try loops.started()
    let entries = try InheritedSockets.shared.take(named: name)
    // All are looked at before any is used: what is no socket of ours is not ours to close either.
    let addresses = try entries.map { (entry) throws(TransportError) in try InheritedSockets.address(of: entry) }
    var listeners: [Listener] = []
    for (entry, address) in zip(entries, addresses) {
      let socket = try ListeningSocket.inherit(entry.descriptor, at: address, limits)
      let acceptor = Acceptor([socket], format: format, limits: limits, newcomers: newcomers, on: homes)
      try await acceptor.start()
      listeners.append(Listener(acceptor, addresses: [address], name: entry.name))
    }
    return listeners
  }
}
