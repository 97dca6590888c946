import Bonjourish
import _BonjourishConsole
import _BonjourishDiscoveryOptions
import _BonjourishEventLoop
import _BonjourishTerminal

await NameCompletion.runIfAsked()
// Without a command, a terminal shows everything, if need be in lines.
let shows = TerminalSession.isPossible || TerminalSession.hasLinesOnly
let (verb, arguments) = Commands.all.parseOrExit(without: shows ? ["browse", "--all"] : [])
let diagnostics = Diagnostics(level: arguments[Commands.verbose] ? .detail : .warning) { notices.tell($0, $1) }

if CommandLine.arguments.count == 1, TerminalSession.hasLinesOnly {
  diagnostics.warning(
    "the explorer needs a terminal that can move the cursor, and TERM names none; this is bonjourish browse --all")
}

let isLimited = Locked(false)

await Program.run(diagnostics) {
  do {
    let invocation = try await Invocation(verb, arguments)
    // `doctor` says why a Bonjour cannot be made; `query --raw` has sockets of its own.
    if try await invocation.runAlone() { return }
    let network = try arguments.network(of: verb)
    var configuration = Bonjour.Configuration(backend: network.backend) { diagnostics.detail($0.text) }
    let showsBackend = arguments[Commands.verbose] && arguments[Commands.json]
    let wantsHints = verb == .browse && arguments[Commands.hints]
    if wantsHints { try configuration.requireHints() }
    configuration.backendChosen = { backend in
      if showsBackend { Output.standard.event(BackendEvent(name: backend.rawValue)) }
      if wantsHints, backend == .avahi {
        diagnostics.warning(
          "--hints shows nothing with avahi-daemon, or with --resolve only what has expired; give --backend builtin"
        )
      }
    }
    let tellsInJSON = arguments[Commands.json] && ![.resolve, .lookup].contains(verb)
    // A screen shows where the network is reached.
    let isOnScreen = if case .browse(let browse) = invocation { browse.isOnScreen } else { false }
    configuration.reachLimited = { reason in
      isLimited.withLock { $0 = reason != nil }
      if isOnScreen { return }
      Limit.show(reason, json: tellsInJSON)
    }
    let bonjour = try await network.bonjour(configuration) { news in
      let isToldLater = if case .browse(let browse) = invocation { browse.take(news) } else { false }
      if tellsInJSON { Output.standard.event(news) } else if !isToldLater { news.tell(diagnostics) }
    }
    let run: @Sendable () async throws -> Void = {
      try await forAtMost(invocation.duration, until: invocation.end) { try await invocation.run(on: bonjour) }
    }
    guard arguments[Commands.stats] else { return try await run() }
    try await Statistics.showing(of: bonjour, json: arguments[Commands.json], run)
  } catch let error as DiscoveryError {
    throw Failure(error.exitCode(of: verb), error.message).orUnavailable(if: isLimited.withLock { $0 })
  } catch let failure as Failure {
    throw failure.orUnavailable(if: isLimited.withLock { $0 })
  }
}
