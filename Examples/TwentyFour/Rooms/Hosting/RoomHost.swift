public import Bonjourish
import FramedTransport
public import TwentyFour

/// An open room: it listens, advertises itself, and runs the match.
///
/// The host checks every answer and keeps the time. A misbehaving connection ends only itself.
public struct RoomHost: Seat, HostFacade {
  /// The configuration of a room: what a room has above the ``plan`` of every host, whose properties it has, too.
  @dynamicMemberLookup
  public struct Configuration: Sendable {
    /// The name of the host; the room is advertised as `<name>'s game`.
    public var name: PlayerName
    /// What every host has. Its name is that of the room, whatever it says.
    public var plan: HostPlan
    /// Whether the host also plays.
    public var plays = true
    public var rules = Match.Rules()
    /// The most that the connections from one address may have.
    public var shares = ShareLimits()
    /// Whether new players wait until the host admits them.
    public var approves = false
    /// Whether the room stays open after the last round, so that the host may begin another match: `HostRule.again`.
    public var staysOpen = false
    /// Whether the first round waits until a second player is there, or the host decides to begin: `HostRule.start`.
    public var waitsForCompany = false
    /// Deals the hands; the same seed deals the same ones.
    public var generator: SeededGenerator

    public init(name: PlayerName, _ protection: HostProtection, generator: SeededGenerator) {
      self.name = name
      self.generator = generator
      plan = HostPlan(name: .room(of: name), protection)
    }

    public subscript<Value>(dynamicMember path: WritableKeyPath<HostPlan, Value>) -> Value {
      get { plan[keyPath: path] }
      set { plan[keyPath: path] = newValue }
    }
  }

  /// The service type of rooms.
  public static let serviceType: ServiceType = "_twentyfour._tcp"

  public let room: RoomID
  public let events: RoomEvents
  public let shell: HostShell<RoomMachine>
  private let mailbox: RoomMailbox

  /// Lets phones in from now on, if the room was configured for it.
  ///
  /// - Returns: As ``webAddresses``.
  /// - Throws: ``RoomError`` with code `cannotListen` or `cannotAdvertise`.
  public func openWeb() async throws(RoomError) -> [String]? { try await shell.openWeb() }

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
    var plan = configuration.plan
    plan.name = .room(of: configuration.name)
    plan.clock = clock
    plan.observe = { [observe = plan.observe] room, event in
      mailbox.append(event)
      observe(room, event)
    }
    plan.observeAdmission = { mailbox.append($0) }
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
    if rule == .reopen, !reopen() { return mailbox.append(.refused(.noPasscode)) }
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
