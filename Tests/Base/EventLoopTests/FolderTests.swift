import CBonjourishLinux
import Foundation
import Testing

@testable import _BonjourishEventLoop

struct FolderTests {
  @Test func `all names are listed, the shortest and the longest`() throws {
    var template = Array("/tmp/folder-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let wanted = ["a", ".b", "é"] + (4...255).map { String(repeating: "n", count: $0) }
    for name in wanted { close(linux_open("\(path)/\(name)", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)) }
    defer {
      for name in wanted { unlink("\(path)/\(name)") }
      rmdir(path)
    }
    #expect(try listFolder(path).sorted() == wanted.sorted())
    let error = #expect(throws: SystemError.self) { try listFolder(path + "/nowhere") }
    #expect(error == SystemError("opendir", errno: ENOENT))
  }

  @Test func `nothing is read beyond an entry that ends with its page`() async {
    await #expect(processExitsWith: .success) {
      let page = sysconf(CInt(_SC_PAGESIZE))
      let pages = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
      try #require(pages != MAP_FAILED)
      // Whatever touches the second page ends the process.
      try #require(mprotect(pages + page, page, PROT_NONE) == 0)
      let size = 24
      let entry = pages + page - size
      let offset = try #require(MemoryLayout<dirent>.offset(of: \.d_name))
      (entry + offset).copyMemory(from: "abcd", byteCount: 5)
      #expect(offset + 5 == size)
      #expect(entryName(of: entry.assumingMemoryBound(to: dirent.self)) == "abcd")
    }
  }
}
