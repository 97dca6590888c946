public import Bonjourish
public import FramedTransport

/// The plan of a host: its address, its name, and the file of its state.
public struct HostPlan: Sendable {
  /// The bytes by which a room's slowest connection may lag before all connections must come back.
  static let backlogLimit = 4 * 1024 * 1024

  /// The host's name on the network.
  public var name: InstanceName
  /// The port to listen on; 0 means the port of the state, or any free port.
  public var port: UInt16 = 0
  /// The interfaces to advertise on. The room listens on one only, or on all.
  public var interfaces = InterfaceSelection.all
  /// Listening sockets, instead of one at ``port``.
  public var listeners: [Listener] = []
  /// The limits of a connection before it is admitted.
  public var pending = PendingConnectionLimits.hello
  /// The shortest time between two changes of the advertisement.
  public var advertisingInterval: Duration = .seconds(1)
  /// The path of a file for the state; nil to keep no state.
  public var state: String?
  /// Called when the state cannot be written: once, until writing works again.
  public var stateFailed: @Sendable (RoomError) -> Void = { _ in }
  /// Called with the events of each room, in order, on the connections' thread. It must not block.
  public var observe: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
  /// The clock.
  public var clock: any Clock<Duration> = ContinuousClock()

  public init(name: InstanceName) {
    self.name = name
  }

  /// Runs a host while a closure runs.
  ///
  /// When the closure is called, the host listens, and is advertised if `bonjour` is given. When this function returns, after a
  /// return, an error or cancellation, all players were told that the host is closed, its goodbye was sent, and its port is free.
  /// With a ``state``, and unless it was closed for good, the host is only suspended: the connections end without a message, so
  /// that the players come back when the host runs again.
  ///
  /// - Parameters:
  ///   - bonjour: The discovery to advertise with; nil for an unlisted host.
  ///   - machine: Makes the machine, from the stored state if there is one.
  ///   - body: Runs while the host is open. Gets the shell and its published service.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unusableState`, `cannotKeepState`, `cannotListen`, `cannotAdvertise` or `cancelled`, or
  ///   what the closure throws.
  public func host<Machine: HostMachine, Result: Sendable>(
    on bonjour: Bonjour?, _ machine: (Machine.Snapshot?) throws(DamagedSnapshot) -> Machine,
    _ body: (HostShell<Machine>, PublishedService?) async throws -> Result
  ) async throws -> Result {
    let file = state.map { StateFile<Machine.Snapshot>($0) }
    let saved = try await file?.read()
    let made: Machine
    do throws(DamagedSnapshot) {
      made = try machine(saved?.contents)
    } catch {
      throw RoomError(damagedState: state ?? "", error.description)
    }
    let shell = HostShell(made, self, file, try await listening(at: port == 0 ? saved?.port ?? 0 : port))
    return try await shell.advertised(by: bonjour) { service in try await body(shell, service) }
  }

  private func listening(at port: UInt16) async throws(RoomError) -> [Listener] {
    guard listeners.isEmpty else { return listeners }
    do throws(TransportError) {
      return [
        try await Listener.bind(
          port: port, interface: interfaces.onlyName, format: RoomMessage.format, limits: RoomMessage.limits, pending: pending,
          on: .one)
      ]
    } catch {
      throw RoomError(listening: error)
    }
  }
}
