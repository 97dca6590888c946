import CBonjourishLinux
import TestSupport
import Testing

@testable import _BonjourishPrivateFiles

/// Whether a file is the one that was read.
@Suite struct FileStampTests {
  private let folder: TemporaryFolder
  private let file: PrivateFile

  init() throws {
    folder = try TemporaryFolder()
    file = PrivateFile("\(folder.path)/state", maximumSize: 100)
  }

  @Test func `a file that was written again has another stamp, also with the same bytes`() throws {
    #expect(file.stamp == nil)
    var former: FileStamp?
    for _ in 0..<20 {
      try file.write([1, 2, 3])
      let stamp = try #require(file.stamp)
      #expect(stamp == file.stamp && stamp != former)
      former = stamp
    }
    try file.remove()
    #expect(file.stamp == nil)
  }

  @Test func `a link has the stamp of what it leads to only if it is followed`() throws {
    try file.write([1, 2, 3])
    let link = "\(folder.path)/link"
    symlink(file.path, link)
    #expect(FileStamp(of: link, followingLinks: true) == file.stamp)
    let own = FileStamp(of: link, followingLinks: false)
    #expect(own != nil && own != file.stamp)
    unlink(file.path)
    #expect(FileStamp(of: link, followingLinks: true) == nil && FileStamp(of: link, followingLinks: false) != nil)
  }

  @Test func `a stamp settles once it is older than a tick of the clock`() throws {
    try file.write([1])
    let stamp = try #require(file.stamp)
    // Ends with the time limit of the run if it never does.
    while !stamp.isSettled {}
    #expect(stamp == file.stamp)
  }
}
