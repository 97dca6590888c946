import Bonjourish
import Foundation
import FramedSecurity
import FramedTransport
import FramedTransportTesting
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import files

@Suite(.timeLimit(.minutes(1))) final class FilesTests: Sendable {
  private let offered: TemporaryFolder
  private let fetched: TemporaryFolder
  /// A file whose parts differ, with a last part that is not full.
  private let content: [UInt8] = (0..<(5 * partSize + 1_000)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 16)) }

  /// How many connections were made.
  private let connectionCount = Locked(0)

  init() throws {
    offered = try TemporaryFolder()
    fetched = try TemporaryFolder()
    try Data(content).write(to: URL(fileURLWithPath: offered.path + "/film"))
    try Data("small".utf8).write(to: URL(fileURLWithPath: offered.path + "/letter"))
    try FileManager.default.createDirectory(atPath: offered.path + "/folder", withIntermediateDirectories: false)
    symlink("/etc/passwd", offered.path + "/link")
  }

  /// Connections in memory with a program that offers the files. The first ends after so many bytes of answers.
  private func connections(cutAfter byteCount: Int? = nil) -> Reconnections {
    let folder = offered.path
    return Reconnections(policy: ReconnectionPolicy(base: .nanoseconds(1), cap: .nanoseconds(1))) {
      let (client, server, link) = try Connection.pair(format: format)
      let number = self.connectionCount.withLock { count in
        count += 1
        return count
      }
      if number == 1, let byteCount { await link.cut(.reset, afterBytes: byteCount, .toClient) }
      Task { try? await serve(folder, over: server) }
      return client
    }
  }

  private func fetch(_ name: String, over connections: Reconnections) async throws {
    try await connections.withRequests(questions, replies: answers) { client in
      try await files.fetch(name, into: fetched.path, from: client)
    }
  }

  private func read(_ name: String) -> [UInt8] {
    [UInt8](FileManager.default.contents(atPath: "\(fetched.path)/\(name)") ?? Data())
  }

  @Test func `the type of the service may be published`() {
    #expect(throws: Never.self) { try type.checkForPublishing() }
  }

  @Test func `files are listed, and neither folders nor links`() async throws {
    let names = try await connections().withRequests(questions, replies: answers) { client in
      var names: [String] = []
      for try await file in client.replies(resuming: { .list }) { names.append("\(file.name) \(file.size)") }
      return names
    }
    #expect(names == ["film \(content.count)", "letter 5"])
  }

  @Test func `a file is fetched, and goes on after a cut`() async throws {
    try await fetch("film", over: connections(cutAfter: 2 * partSize + 777))
    #expect(connectionCount.withLock { $0 } == 2)
    #expect(read("film") == content)
    #expect(try fetched.contents() == ["film"])
  }

  @Test func `a later attempt goes on where an earlier one has ended`() async throws {
    try Data(content[..<(partSize + 5)]).write(to: URL(fileURLWithPath: fetched.path + "/film.part"))
    try await fetch("film", over: connections())
    #expect(read("film") == content)
  }

  @Test func `a file whose hash is wrong is not kept`() async throws {
    try Data("SMA".utf8).write(to: URL(fileURLWithPath: fetched.path + "/letter.part"))
    await #expect(throws: RemoteError.self) { try await fetch("letter", over: connections()) }
    #expect(try fetched.contents() == [])
  }

  @Test(arguments: ["missing", "link", "folder", "../film"])
  func `what is no file in the folder is refused`(name: String) async throws {
    let error = await #expect(throws: (any Error).self) { try await fetch(name, over: connections()) }
    let code = (error as? MessagingError)?.remote?.code ?? (error as? RemoteError)?.code
    #expect(code == "noFile")
    #expect(try fetched.contents() == [])
  }
}
