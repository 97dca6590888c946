import Foundation
import FramedTransport
import MatchServer
import TestSupport
import _BonjourishConsole

/// A match server in a process of its own.
final class HostProcess: Sendable {
  let port: UInt16
  /// The port of the page; nil if there is none.
  let webPort: UInt16?
  private let program: String
  private let socket: String
  private let process: ChildProcess

  /// Starts a server on a port of its own, known to nobody, and returns when it is open.
  init(
    _ program: String, rooms: Int, players: Int, rounds: Int, roundTime: Duration, pause: Duration, protection: Protection,
    isWeb: Bool = false
  ) throws {
    self.program = program
    socket = NSTemporaryDirectory() + "twentyfour-load-\(getpid())"
    process = try ChildProcess(
      program,
      [
        "--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--admin", socket, "--rooms", "\(rooms)",
        "--players", "2:\(players)", "--rounds", "\(rounds)", "--round-seconds", "\(roundTime / .seconds(1))",
        "--pause-seconds", "\(pause / .seconds(1))",
        // All players have one address.
        "--per-address", "0",
      ] + protection.options + (isWeb ? ["--web-port", "0"] : []),
      // Apart from the user's own key.
      environment: ["XDG_STATE_HOME": socket + ".state"])
    Thread.detachNewThread { [errors = process.errors] in _ = errors.availableToEnd() }
    // One line, which comes whole.
    guard let opened = try? JSONDecoder().decode(Opened.self, from: Data(process.output.available())) else {
      process.signal(SIGTERM)
      throw Failure(.software, "the server did not open")
    }
    port = opened.port
    webPort = opened.web.flatMap { URLComponents(string: $0)?.port }.flatMap { UInt16(exactly: $0) }
  }

  private struct Opened: Decodable {
    let port: UInt16
    let web: String?
  }

  var isRunning: Bool { !process.hasEnded }

  /// What the server says of itself.
  func statistics() async throws -> ServerStatistics {
    // On a thread of its own, for it waits.
    try await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try self.askStatistics() }) }
    }.get()
  }

  private func askStatistics() throws -> ServerStatistics {
    let answer = try ChildProcess.run(program, ["--admin", socket, "--admin-command", "stats"])
    return try JSONDecoder().decode(ServerStatistics.self, from: Data(answer.output))
  }

  /// The memory of the server that is in use, in KiB: the second number of statm (proc(5)), in pages.
  var residentKiB: Int {
    let numbers = file("statm").split(separator: " ")
    return (numbers.count > 1 ? Int(numbers[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE))) / 1_024
  }

  /// The time that processors have spent on the server: the 14th and 15th field of stat (proc(5)), in ticks.
  var processorSeconds: Double {
    // The second field, in parentheses, may have blanks in it.
    let fields = file("stat").split(separator: ")").last?.split(separator: " ") ?? []
    let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +)
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  private func file(_ name: String) -> String {
    (try? String(contentsOfFile: "/proc/\(process.identifier)/\(name)", encoding: .utf8)) ?? ""
  }

  /// Ends the server in order.
  ///
  /// - Returns: Its exit code.
  func end() -> Int32 {
    process.signal(SIGTERM)
    try? FileManager.default.removeItem(atPath: socket + ".state")
    return process.exitCode()
  }
}
