// The sample of the article “A service that stops cleanly” about lines, so that it is tried on a terminal.
import Bonjourish

writeStandardOutputByLine()
let outcome = try await withTerminationSignals {
  print("ready")
  for await case .text(let line) in LineReader.standardInput { print("read: \(line)") }
}
print("ended: \(outcome)")
