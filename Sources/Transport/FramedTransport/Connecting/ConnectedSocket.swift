import CBonjourishLinux

/// A connected socket for use by another library or a child process.
///
/// Its descriptor does not block and is closed on `exec` (`O_NONBLOCK`, `FD_CLOEXEC`). It is closed when this value is destroyed,
/// unless it was taken:
///
/// ```swift
/// let socket = try await ConnectedSocket.connect(to: addresses)
/// let channel = try await ClientBootstrap(group: group).withConnectedSocket(socket.take()) { … }  // SwiftNIO
/// ```
/// To pass it to a child process, make a copy that stays open, with `dup2` or the file actions of `posix_spawn`. Most programs
/// expect a blocking descriptor: clear `O_NONBLOCK` with `fcntl` first.
public struct ConnectedSocket: ~Copyable, Sendable {
  /// The descriptor, which belongs to this value.
  public let descriptor: CInt
  /// The peer's address; a link-local IPv6 address includes its interface.
  public let peer: SocketAddress
  /// The address of this side.
  public let local: SocketAddress
  private var isTaken = false

  /// The connector's result, created on its loop.
  private struct Parts: Sendable {
    let descriptor: CInt
    let peer, local: SocketAddress
  }

  private init(_ parts: Parts) {
    (descriptor, peer, local) = (parts.descriptor, parts.peer, parts.local)
  }

  deinit {
    if !isTaken { close(descriptor) }
  }

  /// Returns the descriptor, which the caller must close.
  public consuming func take() -> CInt {
    isTaken = true
    return descriptor
  }

  /// Connects to the first address that answers (RFC 8305), as ``Connection/connect(to:format:limits:security:within:on:log:)`` does.
  ///
  /// `TCP_NODELAY` is set on the socket. All other options are the system's defaults, which detect a vanished peer late.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of one peer, in order of preference.
  ///   - limit: The longest time for all attempts together.
  /// - Throws: `refused`, `timedOut`, `unreachable` or another code if all addresses have failed (the most informative of their
  ///   errors); `timedOut` at the limit; `cancelled` if the task is cancelled; `unreachable` if there are no addresses;
  ///   `outOfResources`.
  public static func connect(
    to addresses: [SocketAddress], within limit: Duration = .seconds(10)
  ) async throws(TransportError) -> ConnectedSocket {
    try await connect(to: addresses, isBudgeted: false, within: limit)
  }

  /// Connects as above.
  ///
  /// - Parameter isBudgeted: As for ``Connection``.
  package static func connect(
    to addresses: [SocketAddress], isBudgeted: Bool, within limit: Duration
  ) async throws(TransportError) -> ConnectedSocket {
    let transportLoop = try TransportLoops.one.started().leastLoaded
    let parts = try await Connector.connect(
      to: addresses, limits: nil, isBudgeted: isBudgeted, within: limit, on: transportLoop
    ) { socket, peer, decide in
      let local = socket.localAddress() ?? peer
      decide(.success(Parts(descriptor: socket.release(), peer: peer, local: local)))
      return nil
    }
    return ConnectedSocket(parts)
  }
}
