// The sample of the article “A service that stops cleanly” about lines, so that it is tried on a terminal.
import Bonjourish
@preconcurrency import Foundation

// Each line is written as soon as it is complete, also into a pipe or the journal.
setvbuf(stdout, nil, _IOLBF, 0)

let (lines, typed) = AsyncStream.makeStream(of: String.self)
Thread.detachNewThread {
  while let line = readLine() { typed.yield(line) }
  typed.finish()
}
let outcome = try await withTerminationSignals {
  print("ready")
  for await line in lines { print("read: \(line)") }
}
print("ended: \(outcome)")
