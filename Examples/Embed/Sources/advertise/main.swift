import Bonjourish
import Glibc

// Publishes a service until Ctrl-C or SIGTERM. If its name is taken, it gets another one, and asks for that at the next start when
// the environment variable STATE_DIRECTORY has the path of a folder, as in a systemd unit. Usage: advertise NAME _http._tcp PORT
do {
  let arguments = CommandLine.arguments.dropFirst()
  guard arguments.count == 3, let port = arguments.last.flatMap({ UInt16($0) }) else {
    print("usage: advertise NAME TYPE PORT")
    exit(64)
  }
  let type = try ServiceType(arguments[2])
  let service = Bonjour.Service(try InstanceName(arguments[1]), type: type, port: port)
  var configuration = Bonjour.Configuration()
  if let folder = getenv("STATE_DIRECTORY") { configuration.nameStore = .folder(String(cString: folder)) }
  let publisher = try await Bonjour(configuration).publisher(of: [service])
  // The signal cancels `run`, which withdraws the service and returns.
  _ = try await withTerminationSignals { try await publisher.run() }
} catch {
  print("advertise: \(error)")
  exit(1)
}
