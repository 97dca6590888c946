import FramedTransport
import _BonjourishConsole

let (verb, arguments) = Commands.all.parseOrExit()
let diagnostics = Diagnostics(program: "transport-bench")

await Program.run(diagnostics) {
  do {
    switch verb {
    case .serve: try await Server(arguments, diagnostics).run()
    case .client: try await Client(arguments).run()
    }
  } catch let error as TransportError {
    throw Failure(.unavailable, error.description)
  }
}
