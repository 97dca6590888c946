import Bonjourish
import Foundation
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Servers of a stranger's making.
@Suite(.timeLimit(.minutes(1))) struct HostileServerTests {
  /// A server that sends without end, and what it says.
  private final class HostileServer: Sendable {
    let process: ChildProcess
    let port: Int
    private let lines: AsyncStream<String>

    init(_ what: String) throws {
      let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../LANTests/peers/hostile_nats.py").standardized.path
      process = try ChildProcess("/usr/bin/python3", [script, what])
      var text = ""
      while !text.hasSuffix("\n"), case let data = process.output.available(), !data.isEmpty {
        text += String(decoding: data, as: UTF8.self)
      }
      port = try #require(Int(text.dropLast()))
      let (lines, line) = AsyncStream<String>.makeStream()
      self.lines = lines
      Thread.detachNewThread { [process] in
        var rest = ""
        while case let data = process.output.available(), !data.isEmpty {
          rest += String(decoding: data, as: UTF8.self)
          while let end = rest.firstIndex(of: "\n") {
            line.yield(String(rest[..<end]))
            rest.removeSubrange(...end)
          }
        }
        line.finish()
      }
    }

    deinit { process.signal(SIGKILL) }

    /// The bytes that it could send on its next connection.
    func sent() async -> Int? {
      for await line in lines where line.hasPrefix("sent ") { return Int(line.dropFirst(5)) }
      return nil
    }
  }

  /// The most memory that a process has had.
  private func mostBytes(of process: ChildProcess) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return 1_024 * (try #require(Int(line.filter(\.isNumber))))
  }

  @Test func `a program does not grow with what a server sends`() async throws {
    let server = try HostileServer("payload")
    let path = ["bonjourish", "bonjourish-cli"].map(RunningProgram.path).first { FileManager.default.fileExists(atPath: $0) }
    let program = try ChildProcess(
      try #require(path), ["browse", "_room._tcp", "--no-local", "--directory", "nats://127.0.0.1:\(server.port)"])
    defer { program.signal(SIGKILL) }
    #expect(await server.sent() != nil)
    #expect(try mostBytes(of: program) < 100_000_000)
  }

  @Test(arguments: ["payload", "headers", "line"])
  func `a server that sends without end is cut off, and not tried again soon`(what: String) async throws {
    let server = try HostileServer(what)
    var configuration = DirectoryConfiguration(servers: ["nats://127.0.0.1:\(server.port)"])
    let (reasons, reason) = AsyncStream<String>.makeStream()
    configuration.stateChanged = { state in
      if case .unavailable(let error) = state { reason.yield(error.message) }
    }
    let bonjour = try await Bonjour(directory: configuration, local: nil)
    let told = await reasons.first { $0.contains("without a whole message") }
    #expect(told?.contains("nats://127.0.0.1:\(server.port)") == true && told?.contains("for 60 s") == true, "\(told ?? "")")
    let sent = try #require(await server.sent())
    // Of 400 MB: what is in the system's buffers counts as sent, too.
    #expect(sent < 80 << 20, "\(sent)")
    let metrics = await bonjour.metrics.directory
    #expect(metrics.connections == 1 && metrics.connectionsCut == 1)
  }

  @Test func `large messages that arrive slowly are no reason to end a connection`() async throws {
    let server = try HostileServer("honest")
    var configuration = DirectoryConfiguration(servers: ["nats://127.0.0.1:\(server.port)"])
    configuration.relays = false
    let cut = Locked(false)
    configuration.stateChanged = { state in
      if case .unavailable(let error) = state, error.message.contains("without a whole") { cut.withLock { $0 = true } }
    }
    let bonjour = try await Bonjour(directory: configuration, local: nil)
    #expect(await server.sent() ?? 0 > 2_700_000)
    #expect(!cut.withLock { $0 })
    #expect(await bonjour.metrics.directory.connectionsCut == 0)
  }

  @Test func `a directory that is not there is told with its address, and without what the library adds`() async throws {
    // A port that nobody listens at.
    let server = try await NATSServer()
    server.kill()
    var configuration = DirectoryConfiguration(servers: ["nats://somebody:secret@127.0.0.1:\(server.port)"])
    let (reasons, reason) = AsyncStream<String>.makeStream()
    configuration.stateChanged = { state in
      if case .unavailable(let error) = state { reason.yield(error.message) }
    }
    let bonjour = try await Bonjour(directory: configuration, local: nil)
    let told = await reasons.first { !$0.contains("not answered yet") }
    #expect(told == "using the directory at nats://…@127.0.0.1:\(server.port): no server answers there")
    #expect(NATSFailure.plain("(conn.c:2088): Authorization Violation") == "Authorization Violation")
    #expect(NATSFailure.plain("(what is this): x") == "(what is this): x")
    withExtendedLifetime(bonjour) {}
  }
}
