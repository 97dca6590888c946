import Console
import Foundation
import FramedTransport
import Rooms

/// A house in a process of its own.
final class HostProcess: Sendable {
  let port: UInt16
  private let program: URL
  private let socket: String
  private let process: Process

  /// Starts a house on a port of its own, known to nobody, and returns when it is open.
  init(_ program: String, rooms: Int, players: Int, rounds: Int, roundTime: Duration, pause: Duration) throws {
    self.program = URL(filePath: program)
    socket = NSTemporaryDirectory() + "twentyfour-load-\(getpid())"
    process = Process()
    process.executableURL = self.program
    process.arguments = [
      "--dedicated", "--unlisted", "--json", "--interface", "lo", "--port", "0", "--admin", socket, "--rooms", "\(rooms)",
      "--players", "2:\(players)", "--rounds", "\(rounds)", "--round-seconds", "\(roundTime / .seconds(1))",
      "--pause-seconds", "\(pause / .seconds(1))",
    ]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    // One line, which comes whole.
    let line = output.fileHandleForReading.availableData
    guard let opened = try? JSONDecoder().decode(Opened.self, from: line) else {
      process.terminate()
      throw Failure(.software, "the house did not open")
    }
    port = opened.port
  }

  private struct Opened: Decodable {
    let port: UInt16
  }

  var isRunning: Bool { process.isRunning }

  /// What the house says of itself.
  func statistics() async throws -> HouseStatistics {
    // On a thread of its own, for it waits.
    try await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try self.askStatistics() }) }
    }.get()
  }

  private func askStatistics() throws -> HouseStatistics {
    let client = Process()
    client.executableURL = program
    client.arguments = ["--admin", socket, "--admin-command", "stats"]
    let output = Pipe()
    client.standardOutput = output
    try client.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    client.waitUntilExit()
    return try JSONDecoder().decode(HouseStatistics.self, from: data)
  }

  /// Ends the house in order.
  ///
  /// - Returns: Its exit code.
  func end() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
