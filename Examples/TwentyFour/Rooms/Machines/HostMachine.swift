/// A hosted room, or many rooms, as a value without sockets and clock.
///
/// A ``HostShell`` passes in events, carries out the effects in order, and passes in ``HostEvent/timePassed(_:)`` at a room's
/// deadline. Times are durations since the opening, and never decrease.
public protocol HostMachine: Sendable {
  /// The commands of the machine.
  associatedtype Command: Hashable, Sendable
  /// The machine's state without its connections.
  associatedtype Snapshot: Codable, Hashable, Sendable

  /// The advertisement: the pairs of a TXT record.
  var advertisedPairs: [String: String] { get }

  /// Handles everything due by `now`, then an event at `now`; returns the effects, in order.
  ///
  /// Events of unknown or former connections have no effect, so the shell may still pass in events of a connection that it has
  /// disconnected.
  mutating func handle(_ event: HostEvent<Command>, at now: Duration) -> [HostEffect]

  /// The present state; `nil` if the machine is not open, because then nothing can be continued.
  func snapshot(at now: Duration) -> Snapshot?
}

/// An event of a host.
public enum HostEvent<Command: Hashable & Sendable>: Hashable, Sendable {
  /// The shell listens. The first event, once.
  case open
  /// A new connection, and who is at its other end; the shell never uses the same ID twice.
  case connected(ConnectionID, Peer)
  case received(ConnectionID, RoomMessage)
  /// An invalid message or frame.
  case malformed(ConnectionID, RoomReason)
  case disconnected(ConnectionID)
  case command(Command)
  /// Time passed for a room, without another event.
  case timePassed(RoomID)
  /// The host is suspended: the connections end without a message, so that the players come back automatically.
  case suspend
  /// Everything is closed for good.
  case close(because: RoomReason)
}

/// An effect for the shell.
public enum HostEffect: Hashable, Sendable {
  /// Tell all admitted connections of a room, and the host's app. `closed` is the last event of a room.
  case broadcast(RoomID, RoomEvent)
  /// Tell the host's app alone.
  case report(RoomID, RoomEvent)
  case send(RoomMessage, to: ConnectionID)
  /// A connection may stay: its time limit before admission is over.
  case keep(ConnectionID)
  /// A connection is admitted, and gets the events for all in a room from now on.
  case admit(ConnectionID, to: RoomID)
  /// Close a connection after everything sent, and `closed` if there is a reason, has gone out. The machine has already forgotten
  /// the connection.
  case disconnect(ConnectionID, because: RoomReason?)
  /// Show another token for pages on the host's screen.
  case show(AdmissionToken)
  /// Replace the published TXT record.
  case advertise([String: String])
  /// The new deadline of a room, instead of the former one; `nil` for none.
  case wake(RoomID, at: Duration?)
  /// Everything is closed for good, and nothing can be continued.
  case over
}

/// Identifies a connection of a host.
public struct ConnectionID: RawRepresentable, Hashable, Comparable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.rawValue < right.rawValue }
}

/// An invalid snapshot.
public struct DamagedSnapshot: Error, Hashable, Sendable, CustomStringConvertible {
  /// The error, for an administrator.
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
