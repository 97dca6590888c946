import Foundation
import TestSupport
import Testing
import _BonjourishConsole

@testable import bonjourish_cli

/// Files and pipes that the command line names.
@Suite(.timeLimit(.minutes(1))) struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder.path + "/input" }

  private func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(filePath: path)) }

  private func failure(of path: String) async -> Failure? {
    do {
      _ = try await InputFile.content(of: path, upTo: 100)
      return nil
    } catch {
      return error as? Failure
    }
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000]) func `a file is read byte for byte`(count: Int) async throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try write(bytes)
    #expect(try await InputFile.content(of: path, upTo: 200_000) == bytes)
  }

  @Test func `of a file that is too long a few bytes more than allowed are read, so that its reader notices`() async throws {
    try write([UInt8](repeating: 7, count: 1_000_000))
    let content = try await InputFile.content(of: path, upTo: 100_000)
    #expect(content.count > 100_000 && content.count < 200_000)
  }

  @Test func `a pipe is read until all who write to it have ended`() async throws {
    let pipe = Pipe.unshared()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    async let content = InputFile.content(of: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)", upTo: 400_000)
    // More than a pipe holds, so that both wait for each other.
    try await blocking {
      try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
      try pipe.fileHandleForWriting.close()
    }
    #expect(try await content == bytes)
    withExtendedLifetime(pipe) {}
  }

  @Test func `a silent pipe is not waited for when the task is cancelled`() async throws {
    let pipe = Pipe.unshared()
    let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    let task = Task { try await InputFile.content(of: path, upTo: 100) }
    task.cancel()
    #expect(try await task.value == [])
    try pipe.fileHandleForWriting.close()
  }

  @Test func `what cannot be read is told with its path and what to do`() async throws {
    let missing = await failure(of: path)
    #expect(missing?.code == .inputOutput)
    #expect(missing?.message == "reading \(path): No such file or directory; give a file that can be read")
    let directory = await failure(of: folder.path)
    #expect(directory?.message == "reading \(folder.path): Is a directory; give a file that can be read")
  }

  @Test func `a FIFO that nobody writes to is an error at once`() async throws {
    try #require(mkfifo(path, 0o600) == 0)
    let failure = await failure(of: path)
    #expect(failure?.code == .inputOutput)
    #expect(failure?.message.contains("it is empty, or nobody writes to it") == true)
  }
}
