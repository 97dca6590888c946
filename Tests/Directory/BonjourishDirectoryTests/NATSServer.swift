import Foundation
import TestSupport

/// A `nats-server` of a test: on the loopback interface, with JetStream in a folder of its own.
///
/// It keeps its port when it is started again, as a server does. `make test` runs all tests of directories a second time with the
/// newest server, which it names by `NATS_SERVER`.
final class NATSServer {
  private static let program = ProcessInfo.processInfo.environment["NATS_SERVER"] ?? "/usr/sbin/nats-server"

  private let folder: TemporaryFolder
  private var settings: String
  private var process: ChildProcess
  private(set) var port = 0

  /// - Parameter settings: Lines of a configuration file beside the port and the folder.
  init(settings: String = "jetstream: enabled") async throws {
    folder = try TemporaryFolder()
    self.settings = settings
    process = try Self.launch(folder, settings, port: -1)
    port = try await Self.port(of: process, in: folder)
  }

  deinit { process.signal(SIGKILL) }

  var url: String { "nats://127.0.0.1:\(port)" }

  /// The folder for files of the test.
  var path: String { folder.path }

  func kill() {
    process.signal(SIGKILL)
    _ = process.exitCode()
  }

  func pause() { process.signal(SIGSTOP) }

  func resume() { process.signal(SIGCONT) }

  /// Starts it again on the same port, perhaps with other settings.
  func start(settings: String? = nil) async throws {
    if let settings { self.settings = settings }
    process = try Self.launch(folder, self.settings, port: port)
    _ = try await Self.port(of: process, in: folder)
  }

  private static func launch(_ folder: TemporaryFolder, _ settings: String, port: Int) throws -> ChildProcess {
    let file = folder.path + "/nats.conf"
    let text = """
      listen: "127.0.0.1:\(port)"
      ports_file_dir: "\(folder.path)"
      \(settings)

      """
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return try ChildProcess(program, ["-c", file, "-sd", folder.path + "/store", "-l", folder.path + "/log"])
  }

  /// Waits until it listens, and returns the port that it has written to a file.
  private static func port(of process: ChildProcess, in folder: TemporaryFolder) async throws -> Int {
    let file = "nats-server_\(process.identifier).ports"
    try await folder.until(file, contains: "}", writtenBy: process)
    let data = try Data(contentsOf: URL(filePath: "\(folder.path)/\(file)"))
    let ports = try JSONDecoder().decode([String: [String]].self, from: data)
    guard let port = ports["nats"]?.first.flatMap({ URL(string: $0) })?.port else {
      throw CocoaError(.coderReadCorrupt, userInfo: [NSFilePathErrorKey: file])
    }
    return port
  }
}
