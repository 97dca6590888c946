import Bonjourish
import _BonjourishConsole

// stress-discovery outages PUBLISHED BACKEND: publishes so many services and browses all of their type until its input ends. Tells
// each change of what works in a line of JSON. outages.py kills the daemon or the bus meanwhile.
//
// stress-discovery calls COUNT BACKEND: browses and resolves so many services that others publish, and measures how long the calls
// take on the thread that makes them.
//
// stress-discovery cancellations COUNT SEED BACKEND: begins so many operations of all kinds, and cancels each at a random moment.
//
// stress-discovery renames BACKEND: publishes a service, and gives it the name of each line of its input.

let arguments = Array(CommandLine.arguments.dropFirst())
let count = arguments.dropFirst().first.flatMap { Int($0) }
guard let backend = arguments.last.flatMap({ Bonjour.Backend(rawValue: $0) }), count != nil || arguments.first == "renames"
else {
  fatalError(
    "usage: stress-discovery outages PUBLISHED BACKEND | calls COUNT BACKEND | cancellations COUNT SEED BACKEND | renames BACKEND"
  )
}
let bonjour = try await Bonjour(Bonjour.Configuration(backend: backend))
switch arguments[0] {
case "outages": try await Outages(published: count!, on: bonjour).run()
case "calls": try await Calls(count: count!, on: bonjour).run()
case "renames": try await Renames(bonjour: bonjour).run()
default: try await Cancellations(count: count!, seed: UInt64(arguments[2]) ?? 1, on: bonjour).run()
}
