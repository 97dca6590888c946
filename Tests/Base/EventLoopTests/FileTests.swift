import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishEventLoop

@Suite(.timeLimit(.minutes(1))) struct FileTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/file" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `all of a file is read, or its beginning`() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try readFile(path) == bytes)
    for limit in [0, 1, 65_536, 65_537, 199_999, 200_000, 200_001] {
      #expect(try readFile(path, upTo: limit, mustBeRegular: true) == Array(bytes.prefix(limit)))
    }
  }

  @Test func `what cannot be opened or read is an error`() {
    #expect(throws: SystemError("open", errno: ENOENT)) { try readFile(path) }
    #expect(throws: SystemError("read", errno: EISDIR)) { try readFile(folder.path) }
  }

  @Test func `a FIFO is not waited for, and is refused with a device and a folder where only a file will do`() throws {
    #expect(mkfifo(path, 0o600) == 0)
    #expect(try readFile(path) == [])
    for path in [path, "/dev/zero", folder.path] {
      #expect(throws: SystemError("open", errno: EINVAL)) { try readFile(path, mustBeRegular: true) }
    }
    #expect(try readFile("/dev/zero", upTo: 3) == [0, 0, 0])
  }
}
