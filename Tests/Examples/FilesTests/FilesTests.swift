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
    return connections(cutAfter: byteCount) { try? await serve(folder, over: $0) }
  }

  /// Connections with a program that answers whatever is asked with these.
  private func connections(answering falseAnswers: [Answer]) -> Reconnections {
    connections { connection in
      try? await connection.answerRequests(questions, replies: answers) { _, _ in
        throw RemoteError.unsupported
      } streaming: { _, writer, _ in
        for answer in falseAnswers { try await writer.send(answer) }
      }
    }
  }

  private func connections(
    cutAfter byteCount: Int? = nil, _ serve: @escaping @Sendable (Connection) async -> Void
  ) -> Reconnections {
    Reconnections(policy: ReconnectionPolicy(base: .nanoseconds(1), cap: .nanoseconds(1))) {
      let (client, server, link) = try Connection.pair(format: format)
      let number = self.connectionCount.withLock { count in
        count += 1
        return count
      }
      if number == 1, let byteCount { await link.cut(.reset, afterBytes: byteCount, .toClient) }
      Task { await serve(server) }
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

  @Test func `what an earlier attempt has of another file is replaced`() async throws {
    for earlier in ["SMA", "smaller than that"] {
      try Data(earlier.utf8).write(to: URL(fileURLWithPath: fetched.path + "/letter.part"))
      try await fetch("letter", over: connections())
      #expect(read("letter") == [UInt8]("small".utf8))
      #expect(try fetched.contents() == ["letter"])
      unlink(fetched.path + "/letter")
    }
  }

  @Test func `a file without content is fetched`() async throws {
    try Data().write(to: URL(fileURLWithPath: offered.path + "/nothing"))
    try await fetch("nothing", over: connections())
    #expect(try fetched.contents() == ["nothing"])
  }

  @Test func `a file that changes while it is fetched is not kept`() async throws {
    let path = offered.path + "/film"
    var hasChanged = false
    let error = await #expect(throws: (any Error).self) {
      // The file is read no further ahead than this, so not to its end yet.
      try await connections().withRequests(questions, replies: answers, limits: RequestLimits(streamed: 1)) { client in
        try await files.fetch("film", into: fetched.path, from: client) { position, _ in
          guard position > 0, !hasChanged else { return }
          hasChanged = true
          truncate(path, 3)
        }
      }
    }
    #expect((error as? MessagingError)?.remote?.code == "changed")
    #expect(try fetched.contents() == ["film.part"])
    try await fetch("film", over: connections())
    #expect(read("film") == [UInt8](content[..<3]))
  }

  @Test(arguments: [-1, Int64.min, Int64.max])
  func `a position that no file has counts as nothing`(position: Int64) async throws {
    var digest = ContentDigest()
    if position > 0 { digest.add(content) }
    let known = digest.finish()
    let got = try await connections().withRequests(questions, replies: answers) { client in
      var (got, positions) = ([UInt8](), [Int64]())
      for try await answer in client.replies(resuming: { .file("film", from: position, sha256: known) }) {
        got += answer.part
        positions.append(answer.position)
      }
      #expect(positions.first == 0)
      return got
    }
    #expect(got == content)
  }

  @Test(arguments: [
    // An end too early, and none of the beginning.
    [Answer(size: 5), Answer(size: 5, part: [1, 2, 3])], [],
    // Parts that leave something out, come again, or lie behind the end.
    [Answer(size: 5), Answer(size: 5, position: 1, part: [1, 2, 3, 4])],
    [Answer(size: 5), Answer(size: 5, part: [1, 2]), Answer(size: 5, position: 1, part: [3, 4, 5])],
    [Answer(size: 5, position: 5)], [Answer(size: 5, position: -1)],
    [Answer(size: 5), Answer(size: 5, part: [1, 2, 3, 4, 5, 6])],
    // Sizes that nothing has, or that grow with what comes.
    [Answer(size: -1)], [Answer(size: .min), Answer(size: .min, part: [1])],
    [Answer(size: 1), Answer(size: 1, part: [1]), Answer(size: 2, position: 1, part: [2])],
  ])
  func `what a false program answers is not taken for a file`(falseAnswers: [Answer]) async throws {
    let error = await #expect(throws: (any Error).self) { try await fetch("film", over: connections(answering: falseAnswers)) }
    #expect((error as? RemoteError)?.code == "falseAnswer")
    #expect(try fetched.contents().filter { $0 != "film.part" } == [])
    // Whatever it has brought is no obstacle.
    try await fetch("film", over: connections())
    #expect(read("film") == content)
  }

  @Test(arguments: [false, true]) func `what is there already is not replaced`(isFolder: Bool) async throws {
    let path = fetched.path + "/letter"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    if !isFolder {
      rmdir(path)
      try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    }
    let error = await #expect(throws: RemoteError.self) { try await fetch("letter", over: connections()) }
    #expect(error?.code == "exists")
    #expect(try fetched.contents() == ["letter"])
    if !isFolder { #expect(read("letter") == [UInt8]("mine".utf8)) }
  }

  @Test func `what comes while a file is fetched is not replaced`() async throws {
    let path = fetched.path + "/letter"
    await #expect(throws: (any Error).self) {
      try await connections().withRequests(questions, replies: answers) { client in
        try await files.fetch("letter", into: fetched.path, from: client) { _, _ in symlink("nowhere", path) }
      }
    }
    #expect(try fetched.contents() == ["letter", "letter.part"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == "nowhere")
    #expect(read("letter.part") == [UInt8]("small".utf8))
  }

  @Test func `a fetch writes into nothing but a file of its folder`() async throws {
    let other = fetched.path + "/other"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: other))
    symlink(other, fetched.path + "/film.part")
    mkfifo(fetched.path + "/letter.part", 0o600)
    let refused = [("film", "Too many levels of symbolic links"), ("letter", "it is no file"), ("no/film", "No such file")]
    for (name, reason) in refused {
      let error = await #expect(throws: RemoteError.self) { try await fetch(name, over: connections()) }
      #expect(error?.code == "noFile" && error?.text.contains(reason) == true, "\(String(describing: error))")
    }
    #expect(read("other") == [UInt8]("mine".utf8))
    #expect(try fetched.contents() == ["film.part", "letter.part", "other"])
  }

  @Test(arguments: ["missing", "link", "folder", "../film"])
  func `what is no file in the folder is refused`(name: String) async throws {
    let error = await #expect(throws: (any Error).self) { try await fetch(name, over: connections()) }
    let code = (error as? MessagingError)?.remote?.code ?? (error as? RemoteError)?.code
    #expect(code == "noFile")
    #expect(try fetched.contents() == [])
  }
}
