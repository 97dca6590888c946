import Bonjourish
import BonjourishDirectory

// Reads what is wrong with a configuration, and asks a directory that nobody runs.
do {
  _ = try await Bonjour(directory: DirectoryConfiguration(servers: ["http://localhost"]), local: nil)
} catch {
  print(error.code)
}
let bonjour = try await Bonjour(directory: DirectoryConfiguration(servers: ["nats://127.0.0.1:1"]), local: nil)
do {
  _ = try await bonjour.services(of: "_game._tcp", within: .seconds(1))
  print("empty")
} catch {
  print(error.code)
}
