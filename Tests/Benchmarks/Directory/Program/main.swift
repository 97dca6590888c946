import Bonjourish
import CBonjourishLinux
import _BonjourishConsole

// bench-directory: the parts of `make bench-directory` that are programs with a directory; directory.py starts them.
//
//   publish URL TYPE COUNT CONNECTIONS   publishes rooms until its input ends; tells when all are established
//   name URL TYPE NAME                   publishes one room until its input ends, and tells what happens to it; a line is its state
//   see URL TYPE COUNT RATE              publishes rooms one after the other, and tells how long each takes to be seen, in µs
//   list URL TYPE TIMES                  lists all rooms of a type, and tells how many and how long it took, in ms
//   browse URL TYPE                      tells of each room that is found or lost
//   resolve URL TYPE NAME                resolves one room, and tells its port and how long it took, in ms
//   requests TYPE                        tells the requests for a type and for one shard of it, as JSON
//   own URL COUNT SIZE SECONDS           owns values that all change every second, and tells the number of writes at the end
//   falsehoods KIND COUNT TYPE NAME      writes false records in the shard of a name, or in all, as commands of the protocol of NATS
//
// The URL may be - for what the environment says, as for the nats command, and may end with # and the name of a bucket. What is read
// by directory.py is one line of words and numbers each.

let arguments = Array(CommandLine.arguments.dropFirst())
let usage = "usage: see Tests/Benchmarks/Directory/Program/main.swift"

do {
  switch (arguments.first, arguments.count) {
  case ("publish", 5): try await Publishing.run(arguments)
  case ("name", 4): try await Publishing.name(arguments)
  case ("see", 5): try await Seeing.see(arguments)
  case ("list", 4): try await Seeing.list(arguments)
  case ("browse", 3): try await Seeing.browse(arguments)
  case ("resolve", 4): try await Seeing.resolve(arguments)
  case ("requests", 2): try Requests.run(arguments)
  case ("own", 5): try await Owning.run(arguments)
  case ("falsehoods", 5): try Falsehoods.run(arguments)
  default: fatalError(usage)
  }
} catch let error as DiscoveryError {
  Output.standard.line("failed: \(error.message)")
  exit(1)
}
