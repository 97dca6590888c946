import BonjourishTransport
import FramedTransport
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// All relayed connections of one directory: brings messages to their streams, and new connections to their listeners.
///
/// It outlives its backend as long as a stream uses it, so a connection does not end with the `Bonjour` that made it.
final class RelayHub: Sendable {
  typealias Accept = @Sendable (RelayedStream, _ refused: @escaping @Sendable () -> Void) -> Void

  /// The two ends of a connection have one identity, and may be in one program.
  struct Place: Hashable {
    let connection: RelayNumber
    let side: RelayLink.Side
  }

  private struct State {
    var streams: [Place: RelayInbox] = [:]
    /// What accepts connections, by the owner in a record.
    var acceptors: [DirectoryRecord.Owner: Accept] = [:]
    var limiter = DialLimiter()
  }

  /// The most connections, closed ones that are remembered for a while included.
  static let mostStreams = 65_536

  /// The address of this program, which records and messages name.
  let address = RelayNumber.random()
  let port: RelayPort
  private let prefix: String
  private let state = Locked(State())

  /// - Parameters:
  ///   - prefix: The first tokens of all subjects.
  ///   - loop: The loop that publishing blocks.
  init(prefix: String, on loop: EventLoop) {
    self.prefix = prefix
    port = RelayPort(on: loop)
  }

  // MARK: - Subjects

  /// What this program subscribes to.
  var subscription: String { "\(prefix).\(address.text).*" }

  /// Where messages of a connection go.
  func subject(of address: RelayNumber) -> String { "\(prefix).\(address.text).m" }

  /// Where a connection is asked for.
  func dialSubject(of address: RelayNumber) -> String { "\(prefix).\(address.text).dial" }

  /// Where the server tells that nobody listens.
  func replySubject(of connection: RelayNumber) -> String { "\(prefix).\(address.text).\(connection.text)" }

  // MARK: - The connection

  /// Sends and receives by this connection from now on.
  func use(_ connection: NATSConnection) throws(NATSFailure) {
    let subscription = try connection.subscribe(self.subscription) { [weak self] in self?.receive($0) }
    port.use(connection, subscription)
  }

  /// Lets the connection go, unless a stream still uses it.
  func retire() {
    if streamCount == 0 { port.use(nil, nil) }
  }

  // MARK: - Streams

  /// Adds the stream of a connection; returns false if there are too many.
  func add(_ inbox: RelayInbox, at place: Place) -> Bool {
    state.withLock { state in
      guard state.streams.count < Self.mostStreams else { return false }
      state.streams[place] = inbox
      return true
    }
  }

  func remove(_ place: Place) {
    let former = state.withLock { $0.streams.removeValue(forKey: place) }
    // Released outside of the lock.
    _ = former
  }

  var streamCount: Int { state.withLock { $0.streams.count } }

  // MARK: - Acceptors

  /// Accepts connections for the owner of a record.
  func open(_ owner: DirectoryRecord.Owner, _ accept: @escaping Accept) { state.withLock { $0.acceptors[owner] = accept } }

  func shut(_ owner: DirectoryRecord.Owner) { _ = state.withLock { $0.acceptors.removeValue(forKey: owner) } }

  // MARK: - From the library's thread

  /// The connection with the relay is there again: what was sent meanwhile is lost.
  func reconnected() {
    for inbox in state.withLock({ Array($0.streams.values) }) { inbox.putReconnected() }
  }

  func receive(_ message: NATSMessage) {
    guard let header = message.relayHeader else {
      if message.saysNobodyListens, let connection = message.lastToken.flatMap({ RelayNumber($0) }) {
        inbox(Place(connection: connection, side: .dialer))?.putNobodyListens()
      }
      return
    }
    let place = Place(connection: header.connection, side: header.isFromDialer ? .acceptor : .dialer)
    if let inbox = inbox(place) { return inbox.put(header, message) }
    if header.kind == .dial, header.isFromDialer { accept(header) }
  }

  private func inbox(_ place: Place) -> RelayInbox? { state.withLock { $0.streams[place] } }

  /// Accepts a connection, if there is somebody to accept it.
  private func accept(_ dial: RelayMessage) {
    guard let caller = dial.address else { return }
    let place = Place(connection: dial.connection, side: .acceptor)
    enum Answer { case later, never, take(Accept, RelayInbox) }
    let answer: Answer = state.withLock { state in
      // It asks again.
      guard state.limiter.permit(at: .now), state.streams.count < Self.mostStreams else { return .later }
      guard let accept = state.acceptors[dial.offset] else { return .never }
      // From now on, so that the same dial once more is not a second connection.
      let inbox = RelayInbox()
      state.streams[place] = inbox
      return .take(accept, inbox)
    }
    let refuse: @Sendable () -> Void = { [self] in
      remove(place)
      let message = RelayMessage(.reset, isFromDialer: false, of: dial.connection, reason: .refused)
      port.send(message.bytes(), to: subject(of: caller))
    }
    switch answer {
    case .later: break
    case .never: refuse()
    case .take(let accept, let inbox):
      let peer = SocketAddress(relay: caller, connection: dial.connection)
      let local = SocketAddress(relay: address, connection: dial.connection)
      let stream = RelayedStream(peer: peer, local: local) { [self] transportLoop in
        let stream = RelayStream(
          RelayLink(accepting: dial, as: address, at: .now), inbox, self, on: transportLoop.loop)
        transportLoop.loop.execute { stream.begin() }
        return stream
      }
      accept(stream, refuse)
    }
  }
}

extension SocketAddress {
  /// What stands for the address of a program at a relay: a unique local address (RFC 4193) from the program's own random number, and
  /// a port from the number of the connection.
  ///
  /// So all connections of one program count as one address. A program that takes a new number counts as another.
  init(relay address: RelayNumber, connection: RelayNumber) {
    let bytes = [0xFD] + address.bytes.prefix(15)
    guard let made = SocketAddress(bytes: bytes, port: UInt16(truncatingIfNeeded: connection.low) | 1) else {
      preconditionFailure("sixteen bytes must be an address")
    }
    self = made
  }
}
