import Bonjourish
import _BonjourishConsole
import _BonjourishDiscoveryOptions

/// The checked request of the command line.
enum Invocation {
  case browse(Browse)
  case types(Types)
  case domains(Domains)
  case publish(Publish)
  case resolve(Resolve)
  case lookUp(LookUp)
  case query(Query)
  case rawQuery(RawQuery)
  case doctor(DoctorCommand)
  case reflect(Reflect)

  init(_ verb: Verb, _ arguments: Arguments) async throws {
    switch verb {
    case .browse: self = .browse(try Browse(arguments))
    case .types: self = .types(try Types(arguments))
    case .domains: self = .domains(try Domains(arguments))
    case .publish: self = .publish(try await Publish(arguments))
    case .resolve: self = .resolve(try Resolve(arguments))
    case .lookup: self = .lookUp(try LookUp(arguments))
    case .query: self = arguments[Commands.raw] ? .rawQuery(try RawQuery(arguments)) : .query(try Query(arguments))
    case .doctor: self = .doctor(try DoctorCommand(arguments))
    case .reflect: self = .reflect(try Reflect(arguments))
    }
  }

  /// The time to run; nil for no limit, or if the command keeps its limit itself.
  var duration: Duration? {
    switch self {
    case .publish(let publish): publish.duration
    case .browse, .types, .domains, .resolve, .lookUp, .query, .rawQuery, .doctor, .reflect: nil
    }
  }

  /// What else ends it.
  var end: AwaitedEnd? {
    switch self {
    case .publish(let publish): publish.end
    case .browse, .types, .domains, .resolve, .lookUp, .query, .rawQuery, .doctor, .reflect: nil
    }
  }

  /// Runs a command that needs no ``Bonjour``.
  ///
  /// - Returns: Whether it is one.
  func runAlone() async throws -> Bool {
    switch self {
    case .doctor(let doctor): try await doctor.run()
    case .rawQuery(let query): try await query.run()
    case .reflect(let reflect): try await reflect.run()
    case .browse, .types, .domains, .publish, .resolve, .lookUp, .query: return false
    }
    return true
  }

  func run(on bonjour: Bonjour) async throws {
    switch self {
    case .browse(let browse): try await browse.run(on: bonjour)
    case .types(let types): try await types.run(on: bonjour)
    case .domains(let domains): try await domains.run(on: bonjour)
    case .publish(let publish): try await publish.run(on: bonjour)
    case .lookUp(let lookUp): try await lookUp.run(on: bonjour)
    case .query(let query): try await query.run(on: bonjour)
    case .resolve(let resolve): try await resolve.run(on: bonjour)
    case .rawQuery, .doctor, .reflect: _ = try await runAlone()
    }
  }
}

/// Runs a body, and cancels it after a limit or at an end; returns when the body has ended. An error of the body counts, unless it
/// is that of the cancellation.
func forAtMost(
  _ limit: Duration?, until end: AwaitedEnd? = nil, _ body: @escaping @Sendable () async throws -> Void
) async throws {
  guard limit != nil || end != nil else { return try await body() }
  try await withThrowingTaskGroup { group in
    group.addTask {
      do {
        try await body()
      } catch let error as DiscoveryError where error.code == .cancelled {
        return
      }
    }
    if let limit { group.addTask { try? await Task.sleep(for: limit) } }
    if let end { group.addTask { await end.wait() } }
    defer { group.cancelAll() }
    try await group.next()
    group.cancelAll()
    try await group.waitForAll()
  }
}

/// Shows where the network is reached, at first and after each change.
func showReach(of changes: ReachChanges, if isWanted: Bool) async {
  guard isWanted else { return }
  for await reach in changes { Output.standard.event(ReachEvent(reach)) }
}

/// The state in which only services of this machine can be found.
enum Limit {
  /// - Parameter reason: The reason; nil when the state has ended.
  static func show(_ reason: DiscoveryError?, json: Bool) {
    if json {
      Output.standard.event(InterruptionEvent(event: reason == nil ? "unlimited" : "limited", reason: reason?.message))
    } else {
      diagnostics.warning(reason?.message ?? "services of other machines can be found again")
    }
  }
}

extension Arguments {
  func domain() throws(DiscoveryError) -> DomainName {
    try self[Commands.domain].map { text throws(DiscoveryError) in try DomainName(text) } ?? .local
  }

  /// The interfaces of a command that may use a directory.
  func interfaces() throws -> InterfaceSelection { try network().interfaces }

  /// The interfaces of the local network.
  func localInterfaces() throws(DiscoveryError) -> InterfaceSelection {
    let selection = try InterfaceSelection(parsing: self[Commands.interfaces])
    return self[Commands.family].map { selection.over($0) } ?? selection
  }

  /// The local network and the directory, which is for services, and not for their types.
  func network(of verb: Verb? = nil) throws -> NetworkChoice {
    let interfaces = try localInterfaces()
    if verb == .types || verb == .domains { return NetworkChoice(self[Commands.backend], interfaces) }
    return try NetworkChoice(self, interfaces, shard: verb == .browse ? self[NetworkOptions.shard] : nil)
  }
}

extension Duration {
  /// The longest time that `--once` waits for what does not answer.
  static var longestOnce: Duration { .seconds(10) }
}

extension DiscoveryError {
  /// The exit code of the process: `usage` for an invalid value on the command line, `unavailable` for most others.
  ///
  /// - Parameter verb: The command. Where an answer is looked for, that none came in time means that there is none.
  func exitCode(of verb: Verb) -> ExitCode {
    switch code {
    case .timedOut where verb == .resolve || verb == .lookup: .negative
    case .invalidServiceType, .invalidInstanceName, .invalidTXTRecord, .invalidPort, .invalidDomain, .noSuchInterface,
      .invalidBackend, .invalidDirectory, .invalidRecordType:
      .usage
    case .cancelled: .done
    case .notPermitted: .notPermitted
    default: .unavailable
    }
  }
}

extension Failure {
  /// That nothing was found counts only if it could be looked for.
  ///
  /// - Parameter isLimited: Whether there is no network, so that only services of this machine could be found.
  func orUnavailable(if isLimited: Bool) -> Failure {
    code == .negative && isLimited ? Failure(.unavailable, message) : self
  }
}

extension Bonjour.Configuration {
  /// Refuses the backend that has no hints, if it was asked for.
  func requireHints() throws {
    guard try chosenBackend() != .avahi else {
      throw Commands.browse.usageError("--hints needs the built-in engine; give --backend builtin, or leave out --hints")
    }
  }
}
