import Bonjourish
import BonjourishDirectory
import BonjourishTransport
import FramedTransport

/// Compares relayed connections with direct ones, in the same run and between the same two programs.
///
/// Usage: `relay-bench URL NATS_PID HOST_PID [RUNS]` measures; `relay-bench --host URL` is the other program. The script `relay` starts
/// both, and a server.
@main
enum RelayBench {
  static let service = ServiceInstance("Bench", type: "_bench._tcp")
  static let limits = TransportLimits.patient

  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.first == "--host", arguments.count == 2 { return try await BenchHost.run(arguments.last!) }
    let numbers = arguments.dropFirst().compactMap { Int32($0) }
    guard let url = arguments.first, numbers.count >= 2 else {
      return print("Usage: relay-bench URL NATS_PID HOST_PID [RUNS]")
    }
    try await BenchGuest(url, server: numbers[0], host: numbers[1], runs: numbers.count > 2 ? Int(numbers[2]) : 5).run()
  }

  /// Discovery by the directory alone, on the loopback interface.
  static func bonjour(_ url: String) async throws -> Bonjour {
    var configuration = DirectoryConfiguration(servers: [url])
    configuration.allowsLoopback = true
    return try await Bonjour(directory: configuration, local: nil)
  }
}
