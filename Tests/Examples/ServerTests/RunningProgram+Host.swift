import Foundation
import TestSupport
import Testing

/// `twentyfour-host` in a process of its own.
extension RunningProgram {
  /// Where the hosts keep their keys, apart from those of the user.
  private static let stateFolder = FileManager.default.temporaryDirectory.appending(path: "state-\(UUID().uuidString)").path

  /// Starts the host.
  static func host(_ arguments: [String], environment: [String: String] = [:]) throws -> RunningProgram {
    try RunningProgram(
      "twentyfour-host", arguments, environment: ["XDG_STATE_HOME": stateFolder].merging(environment) { $1 })
  }

  /// Runs the host to its end.
  static func hostToEnd(_ arguments: [String]) async throws -> (lines: [String], code: Int32?) {
    let program = try host(arguments)
    let lines = await program.restOfOutput()
    return (lines, await program.exitCode())
  }

  /// What `JOURNAL_STREAM` would say to a service whose standard error this is.
  static func journalStream(of handle: FileHandle) -> String {
    var status = stat()
    fstat(handle.fileDescriptor, &status)
    return "\(status.st_dev):\(status.st_ino)"
  }

  /// The port that the first line of `--json` tells.
  func port() async throws -> UInt16 {
    struct Opened: Decodable {
      let event: String
      let port: UInt16
    }
    let opened = try JSONDecoder().decode(Opened.self, from: Data(try #require(await line()).utf8))
    #expect(opened.event == "open")
    return opened.port
  }
}
