import Bonjourish
import Console

let (verb, arguments) = Commands.all.parseOrExit()
let diagnostics = Diagnostics(program: "bonjourish", level: arguments[Commands.verbose] ? .detail : .warning)

await Program.run(diagnostics) {
  do {
    let invocation = try Invocation(verb, arguments)
    var configuration = Bonjour.Configuration(backend: arguments[Commands.backend]) { diagnostics.detail($0.text) }
    if arguments[Commands.verbose], arguments[Commands.json] {
      configuration.backendChosen = { Output.standard.json(BackendRecord(name: $0.rawValue)) }
    }
    configuration.reachLimited = { Limit.show($0, json: arguments[Commands.json] && verb != .resolve) }
    let bonjour = try await Bonjour(configuration)
    try await forAtMost(invocation.duration) { try await invocation.run(on: bonjour) }
  } catch let error as DiscoveryError {
    throw Failure(error.exitCode, error.message)
  }
}
