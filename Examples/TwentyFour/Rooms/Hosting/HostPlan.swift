public import Bonjourish
public import FramedTransport

/// The plan of a host: its address, its name, and the file of its state. A room and a server have it as a part of their configurations.
public struct HostPlan: Sendable {
  /// The bytes by which a room's slowest connection may lag before all connections must come back.
  static let backlogLimit = 4 * 1024 * 1024

  /// The host's name on the network.
  public var name: InstanceName
  /// The protection of the connections.
  public var protection: HostProtection
  /// The port to listen on; 0 means the port of the state, or any free port.
  public var port: UInt16 = 0
  /// The interfaces to advertise on. The room listens on one only, or on all.
  public var interfaces = InterfaceSelection.all
  /// Makes the listeners, instead of one at ``port``; with their protection.
  public var listen: (@Sendable (ListenerSecurity) async throws(TransportError) -> [Listener])?
  /// The entrance for phones and browsers; nil for none.
  public var web: WebEntrance?
  /// Whether that is open from the beginning. Otherwise ``HostShell/openWeb()`` opens it.
  public var opensWeb = true
  /// The limits of a connection before it is admitted.
  public var pending = PendingConnectionLimits.hello
  /// The shortest time between two changes of the advertisement.
  public var advertisingInterval: Duration = .seconds(1)
  /// The path of a file for the state; nil to keep no state.
  ///
  /// If the file exists, what was open continues: with its own rules, its players' seats and, in a room, its port. The file is written at
  /// most once a second, and removed when the host is closed for good: a room by ``RoomHost/leave()`` or after the last round, a server
  /// when it has drained. A process that ends in any other way leaves it, and the players come back as soon as the host is open again.
  public var state: String?
  /// Whether others go on with what the host did when it closes, so that its players are to look for it again.
  public var isContinued = false
  /// Called when the state cannot be written: once, until writing works again.
  public var stateFailed: @Sendable (RoomError) -> Void = { _ in }
  /// Called with the events of each room, in order, on the connections' thread. It must not block.
  public var observe: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
  /// Called with wrong guesses at the passcode, with a new passcode, and with new addresses of the page for phones: `guess`, `passcode` and
  /// `web`. It must not block.
  public var observeAdmission: @Sendable (RoomEvent) -> Void = { _ in }
  /// The clock.
  public var clock: any Clock<Duration> = ContinuousClock()

  public init(name: InstanceName, _ protection: HostProtection) {
    self.name = name
    self.protection = protection
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
  ///   - machine: Makes the machine, from the stored state if there is one, with the invitation if the host asks for a passcode, and
  ///     with what lets pages in.
  ///   - body: Runs while the host is open. Gets the shell and its published service.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unusableState`, `cannotKeepState`, `cannotListen`, `cannotAdvertise` or `cancelled`, or
  ///   what the closure throws.
  public func host<Machine: HostMachine, Result: Sendable>(
    on bonjour: Bonjour?, _ machine: (Machine.Snapshot?, Invitation?, WebAdmission) throws(DamagedSnapshot) -> Machine,
    _ body: (HostShell<Machine>, PublishedService?) async throws -> Result
  ) async throws -> Result {
    let file = state.map { StateFile<Machine.Snapshot>($0) }
    let saved = try await file?.read()
    let admission = HostAdmission(protection, saved?.admission)
    let made: Machine
    do throws(DamagedSnapshot) {
      made = try machine(saved?.contents, admission.invitation, WebAdmission(isOn: web != nil && admission.asksForPasscode))
    } catch {
      throw RoomError(damagedState: state ?? "", error.description)
    }
    let listeners = try await listening(at: port == 0 ? saved?.port ?? 0 : port, admission.security)
    let webListener: WebListener?
    do throws(RoomError) {
      // Phones come back to a host that goes on.
      webListener = opensWeb || saved?.webPort != nil ? try await openWeb(keeping: saved?.webPort) : nil
    } catch {
      for listener in listeners { await listener.close() }
      throw error
    }
    // The record of a process that was killed stays in a directory for a minute. The state or the key says that it is ours.
    let succession = protection.succession(after: saved?.publisher)
    let shell = HostShell(made, self, file, admission, listeners, webListener, bonjour, succession)
    return try await shell.advertised { service in try await body(shell, service) }
  }

  func openWeb(keeping port: UInt16?) async throws(RoomError) -> WebListener? {
    guard let web else { return nil }
    do throws(TransportError) {
      return try await WebListener.open(web, keeping: port, interfaces: interfaces, pending: pending)
    } catch {
      throw RoomError(listening: error)
    }
  }

  private func listening(at port: UInt16, _ security: ListenerSecurity) async throws(RoomError) -> [Listener] {
    do throws(TransportError) {
      if let listeners = try await listen?(security), !listeners.isEmpty { return listeners }
      return [
        try await Listener.bind(
          port: port, interface: interfaces.onlyName, format: RoomMessage.format, limits: RoomMessage.limits, pending: pending,
          security: security, on: .one)
      ]
    } catch {
      throw RoomError(listening: error)
    }
  }
}
