import Bonjourish
import Console

let (verb, arguments) = Commands.all.parseOrExit()
let diagnostics = Diagnostics(program: "bonjourish", level: arguments[Commands.verbose] ? .detail : .warning)

await Program.run(diagnostics) {
  do {
    let invocation = try Invocation(verb, arguments)
    let bonjour = try await Bonjour(.init { diagnostics.detail($0.text) })
    try await forAtMost(invocation.duration) { try await invocation.run(on: bonjour) }
  } catch let error as DiscoveryError {
    throw Failure(error.exitCode, error.message)
  }
}
