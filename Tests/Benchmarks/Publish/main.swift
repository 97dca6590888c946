import Bonjourish
import _BonjourishConsole

// bench-publish COUNT TYPE BACKEND: publishes many services in one process until its input ends, then says goodbye for all.
// Tells with a line each when all are established and when all are withdrawn.

let arguments = CommandLine.arguments
guard arguments.count == 4, let count = Int(arguments[1]), let backend = Bonjour.Backend(rawValue: arguments[3]) else {
  fatalError("usage: bench-publish COUNT TYPE avahi|builtin")
}
let type = try ServiceType(arguments[2])
let bonjour = try await Bonjour(Bonjour.Configuration(backend: backend))

try await withThrowingTaskGroup { group in
  let (established, report) = AsyncStream<Void>.makeStream()
  for number in 1...count {
    group.addTask {
      let name = try InstanceName("Service \(number)")
      try await bonjour.withPublishedService(named: name, type: type, port: 4242, txt: ["number": "\(number)"]) { service in
        report.yield()
        // Ends when the task is cancelled.
        for try await _ in service.events {}
      }
    }
  }
  var awaited = established.makeAsyncIterator()
  for _ in 0..<count { await awaited.next() }
  Output.standard.line("established")
  _ = readLine()
  group.cancelAll()
  try await group.waitForAll()
}
Output.standard.line("withdrawn")
