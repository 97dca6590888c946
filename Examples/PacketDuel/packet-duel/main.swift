import Bonjourish
import BonjourishTransport
import FramedTransport
import _BonjourishConsole

let (verb, arguments) = DuelCommands.all.parseOrExit()
let diagnostics = Diagnostics(program: "packet-duel", level: arguments[DuelCommands.verbose] ? .detail : .warning)

await Program.run(diagnostics) {
  let invocation = try DuelInvocation(arguments, diagnostics)
  do {
    switch verb {
    case .host:
      let port = UInt16(arguments[DuelCommands.port])
      try await Hosting(invocation: invocation, port: port, isHidden: arguments[DuelCommands.hidden]).run()
    case .join:
      let (any, address) = (arguments[DuelCommands.any], arguments[DuelCommands.address])
      guard !any || address == nil else {
        throw DuelCommands.join.usageError("--any and --connect exclude each other; give one of them")
      }
      try await Joining(invocation: invocation, destination: address, takesAny: any).run()
    }
  } catch let error as DiscoveryError {
    throw Failure(.unavailable, error.message)
  } catch let error as TransportError {
    throw Failure(.unavailable, error.description)
  } catch let error as ServiceConnectionError {
    throw Failure(.unavailable, error.description)
  }
}
