public import Bonjourish
import FramedTransport
public import Rooms
import TwentyFour

/// An open match server: it listens, advertises itself, and runs many matches in one process, without a player of its own.
///
/// A misbehaving connection ends only itself.
public struct MatchServer: HostFacade {
  /// The default port of a server.
  public static let standardPort: UInt16 = 1955

  public let shell: HostShell<ServerMachine>

  // MARK: - Opening and closing

  /// Opens a server while a closure runs, as described for `HostPlan.host(on:_:_:)`. A server is closed for good when it has
  /// drained. It listens at the sockets that a service manager has opened for the process (sd_listen_fds(3)), or itself if there are
  /// none.
  ///
  /// - Parameters:
  ///   - configuration: The server's configuration.
  ///   - bonjour: The discovery to advertise with; nil for an unlisted server.
  ///   - body: Runs while the server is open, and for example waits until it is ``closed()``. Gets the server and its published
  ///     service.
  /// - Returns: What the closure returns.
  /// - Throws: `RoomError` with code `unusableState`, `cannotKeepState`, `cannotListen`, `cannotAdvertise` or `cancelled`, or
  ///   what the closure throws.
  public static func withServer<Result: Sendable>(
    _ configuration: Configuration, on bonjour: Bonjour?,
    _ body: (MatchServer, PublishedService?) async throws -> Result
  ) async throws -> Result {
    var plan = configuration.plan
    (plan.pending, plan.advertisingInterval) = (.server, .seconds(10))
    plan.listen = { (security) throws(TransportError) in
      try await Listener.inherited(
        format: RoomMessage.format, limits: RoomMessage.limits, pending: .server, security: security, on: .one)
    }
    precondition(configuration.group == nil || plan.state == nil, "a server has a group or a state, not both")
    let journal = configuration.group.map { _ in MatchJournal(configuration.observeStored) }
    plan.isContinued = journal != nil
    plan.observe = { [observe = plan.observe, observeStored = configuration.observeStored] room, event in
      observe(room, event)
      if let journal { journal.append(room, event) } else { observeStored(room, event) }
    }
    return try await plan.host(on: bonjour) { (snapshot, invitation, admission) throws(DamagedSnapshot) -> ServerMachine in
      let (limit, rules) = (configuration.matches, configuration.rules)
      // No time passes before the opening: the rest of a round is the same when the server is open.
      let (shares, generator) = (configuration.shares, configuration.generator)
      if let snapshot {
        var machine = try ServerMachine(
          restoring: snapshot, matchLimit: limit, rules: rules, shares: shares, invitation: invitation, admission: admission,
          generator: generator, at: .zero)
        machine.advertisedAs = configuration.advertising == nil ? nil : plan.name
        machine.title = RoomTitle(name: plan.name.text)
        return machine
      }
      var machine = ServerMachine(
        server: RoomID(), matchLimit: limit, rules: rules, shares: shares, invitation: invitation, admission: admission,
        generator: generator)
      machine.isInGroup = configuration.group != nil
      machine.advertisedAs = configuration.advertising == nil ? nil : plan.name
      machine.title = RoomTitle(name: plan.name.text)
      return machine
    } _: { shell, service in
      let terms = bonjour.flatMap { bonjour in
        configuration.advertising.map {
          AdvertisedMatch.Terms(
            bonjour: bonjour, interfaces: $0, port: shell.addresses[0].port, interval: plan.advertisingInterval)
        }
      }
      guard terms != nil || configuration.group != nil else { return try await body(MatchServer(shell: shell), service) }
      let member = GroupMember(shell, configuration.group, journal, advertising: terms)
      let running = Task { await member.run() }
      // Not a child task: when this one is cancelled, the last states are still stored.
      let result: Swift.Result<Result, any Error>
      do {
        result = .success(try await body(MatchServer(shell: shell), service))
      } catch {
        result = .failure(error)
      }
      await Task { await member.finish() }.value
      running.cancel()
      await running.value
      return try result.get()
    }
  }

  /// Returns when the server is closed (after ``drain()``, when the last match is over), or the task is cancelled.
  public func closed() async {
    await shell.closed()
  }

  /// Accepts no new players and begins no match. Running matches are played to their ends; then the server is ``closed()``.
  ///
  /// Players who lost their connection to a running match can come back. A match without a last round ends with the running
  /// round.
  public func drain() async {
    await shell.handle(.command(.drain))
  }

  // MARK: - Administration

  /// The state of every match.
  public var overview: [MatchOverview] {
    get async { await shell.machine.overview }
  }

  /// The server's statistics.
  public var statistics: ServerStatistics {
    get async { await ServerStatistics(shell.machine, uptime: shell.uptime, listeners: shell.counters) }
  }

  /// Decides about the players of a match.
  ///
  /// - Throws: The reason why that has no effect.
  public func decide(_ rule: HostRule, in number: MatchNumber) async throws(RoomReason) {
    if let flaw = await shell.machine.flaw(of: rule, in: number) { throw flaw }
    await shell.handle(.command(.rule(rule, in: number)))
  }

  /// Ends a match.
  ///
  /// - Returns: Whether a match with this number existed.
  public func closeMatch(_ number: MatchNumber) async -> Bool {
    guard await shell.machine.room(of: number) != nil else { return false }
    await shell.handle(.command(.closeMatch(number)))
    return true
  }
}

extension PendingConnectionLimits {
  /// As for a room, but with space for all players who come back at once after a restart, some of them from one address.
  static let server = PendingConnectionLimits(admission: .app, count: 1_024, countPerAddress: 256)
}
