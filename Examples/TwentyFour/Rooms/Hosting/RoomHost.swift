public import Bonjourish
import FramedTransport
public import TwentyFour

/// An open room: it listens, advertises itself, and runs the match.
///
/// The host checks every answer and keeps the time. A misbehaving connection ends only itself.
public struct RoomHost: Seat {
  /// The configuration of a room.
  public struct Configuration: Sendable {
    /// The name of the host; the room is advertised as `<name>'s game`.
    public var name: PlayerName
    /// The protection of the room.
    public var protection: HostProtection
    /// Whether the host also plays.
    public var plays = true
    public var rules = Match.Rules()
    /// The port to listen on; 0 means the port of the ``state``, or any free port.
    public var port: UInt16 = 0
    /// The entrance for phones and browsers; nil for none.
    public var web: WebEntrance?
    /// Whether that is open from the beginning. Otherwise ``RoomHost/openWeb()`` opens it.
    public var opensWeb = true
    /// The interfaces to advertise on. The room listens on one only, or on all.
    public var interfaces = InterfaceSelection.all
    /// The most that the connections from one address may have.
    public var shares = ShareLimits()
    /// Whether newcomers wait until the host admits them.
    public var approves = false
    /// Whether the room stays open after the last round, so that the host may begin another match: `HostRule.again`.
    public var staysOpen = false
    /// Whether the first round waits until a second player is there, or the host decides to begin: `HostRule.start`.
    public var waitsForCompany = false
    /// The path of a file for the room's state; nil to keep no state.
    ///
    /// If the file exists, its room continues: with its own rules, its players' seats and its port. The file is written at most
    /// once a second, and removed when the room is closed for good: by ``RoomHost/leave()``, or after the last round. A process
    /// that ends in any other way leaves it, and the players come back as soon as the room is open again.
    public var state: String?
    /// Called when the state cannot be written: once, until writing works again.
    public var stateFailed: @Sendable (RoomError) -> Void = { _ in }
    /// Called with the events of the room, in order, as in ``RoomHost/events``, on the connections' thread. It must not block.
    public var observe: @Sendable (RoomID, RoomEvent) -> Void = { _, _ in }
    /// Deals the hands; the same seed deals the same ones.
    public var generator: SeededGenerator

    public init(name: PlayerName, _ protection: HostProtection, generator: SeededGenerator) {
      self.name = name
      self.protection = protection
      self.generator = generator
    }
  }

  /// The service type of rooms.
  public static let serviceType: ServiceType = "_twentyfour._tcp"

  public let room: RoomID
  public let events: RoomEvents
  private let shell: HostShell<RoomMachine>
  private let mailbox: RoomMailbox

  /// The present passcode; nil if none is asked for.
  public var passcode: String? { shell.passcode }

  /// A link to the room by its name on the network; nil if it is not encrypted.
  public func link(named name: String) -> RoomLink? { shell.link(named: name) }

  /// The present addresses of the page for phones, the one that a phone most likely reaches first; nil if there is no page. In a room with a
  /// passcode each address lets one phone in.
  public var webAddresses: [String]? { shell.webAddresses }

  /// Lets phones in from now on, if the room was configured for it.
  ///
  /// - Returns: As ``webAddresses``.
  /// - Throws: ``RoomError`` with code `cannotListen` or `cannotAdvertise`.
  public func openWeb() async throws(RoomError) -> [String]? { try await shell.openWeb() }

  /// The port that the room listens on.
  public var port: UInt16 { shell.addresses[0].port }

  /// Opens a room while a closure runs, as described for ``HostPlan/host(on:_:_:)``.
  ///
  /// - Parameters:
  ///   - configuration: The room's configuration.
  ///   - bonjour: The discovery to advertise with.
  ///   - clock: The clock.
  ///   - body: Runs while the room is open, and for example shows ``events``. Gets the host and its published service.
  /// - Returns: What the closure returns.
  /// - Throws: ``RoomError`` with code `unusableState`, `cannotKeepState`, `cannotListen`, `cannotAdvertise` or `cancelled`, or
  ///   what the closure throws.
  public static func withRoom<Result: Sendable>(
    _ configuration: Configuration, on bonjour: Bonjour, clock: any Clock<Duration> = ContinuousClock(),
    _ body: (RoomHost, PublishedService) async throws -> Result
  ) async throws -> Result {
    let mailbox = RoomMailbox()
    var plan = HostPlan(name: .room(of: configuration.name), configuration.protection)
    (plan.port, plan.interfaces) = (configuration.port, configuration.interfaces)
    (plan.web, plan.opensWeb) = (configuration.web, configuration.opensWeb)
    (plan.state, plan.stateFailed) = (configuration.state, configuration.stateFailed)
    plan.clock = clock
    plan.observe = { [observe = configuration.observe] room, event in
      mailbox.append(event)
      observe(room, event)
    }
    plan.observeDoor = { mailbox.append($0) }
    let name = configuration.plays ? configuration.name : nil
    return try await plan.host(on: bonjour) { (snapshot, invitation, admission) throws(DamagedSnapshot) -> RoomMachine in
      // No time passes before the opening: the rest of a round is the same when the room is open.
      let (shares, generator) = (configuration.shares, configuration.generator)
      var room =
        if let snapshot {
          try RoomMachine(
            restoring: snapshot, player: name, shares: shares, invitation: invitation, admission: admission,
            generator: generator, at: .zero)
        } else {
          RoomMachine(
            room: RoomID(), player: name, rules: configuration.rules, shares: shares, approves: configuration.approves,
            invitation: invitation, admission: admission, generator: generator)
        }
      room.staysOpen = configuration.staysOpen
      room.title = RoomTitle(name: plan.name.text, host: configuration.name.text)
      room.waitsForCompany = configuration.waitsForCompany
      return room
    } _: { shell, service in
      guard let service else { preconditionFailure("a room must be advertised") }
      let room = await shell.machine.room
      return try await body(RoomHost(room: room, events: RoomEvents(mailbox: mailbox), shell: shell, mailbox: mailbox), service)
    }
  }

  public func act(_ action: Match.Action) async {
    await shell.handle(.command(.act(action)))
  }

  /// Decides about the players. An event tells the result: `rule` or `refused`.
  public func decide(_ rule: HostRule) async {
    if rule == .reopen, !shell.reopen() { return mailbox.append(.refused(.noPasscode)) }
    await shell.handle(.command(.rule(rule)))
  }

  public func leave() async {
    await shell.handle(.close(because: .hostLeft))
  }
}

extension InstanceName {
  /// The name of a player's room, shortened by whole characters to fit into a DNS label.
  static func room(of player: PlayerName) -> InstanceName {
    let suffix = "'s game"
    var name = player.text
    while name.utf8.count + suffix.utf8.count > maximumByteCount { name.removeLast() }
    do throws(DiscoveryError) {
      return try InstanceName(name + suffix)
    } catch {
      preconditionFailure("a player's name must make a valid instance name: \(error)")
    }
  }
}
