import CBonjourishLinux
import Foundation
import Synchronization
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishEventLoop
import _BonjourishJSONOutput

@testable import _BonjourishConsole

struct OutputTests {
  private struct Event: Encodable {
    var event = "found"
    var name: String
    var path = "/a/b"
    var count = 1.5
  }

  @Test func `JSON is one line with sorted keys`() {
    #expect(JSONLine.text(of: Event(name: "Ada\n\"é\"")) == #"{"count":1.5,"event":"found","name":"Ada\n\"é\"","path":"/a/b"}"#)
  }

  @Test func `JSON escapes what is invisible and keeps what it means`() throws {
    let name = "\u{1B}[2J\u{9B}\u{202E}x\u{2028}\u{E0041}👩\u{200D}🚀"
    let line = JSONLine.text(of: [name])
    #expect(line.unicodeScalars.allSatisfy { $0.isSafeToDisplay })
    #expect(line.contains(#"\u202ex"#))
    #expect(line.contains(#"\udb40\udc41"#))
    #expect(try JSONDecoder().decode([String].self, from: Data(line.utf8)) == [name])
  }

  @Test func `numbers that JSON does not know are written as texts`() {
    #expect(JSONLine.text(of: [Double.infinity]) == #"["Infinity"]"#)
  }

  @Test func `a reader that does not read is not waited for when the program is asked to end`() async throws {
    let pipe = Pipe.unshared()
    let writing = pipe.fileHandleForWriting.fileDescriptor
    #expect(fcntl(writing, F_SETFL, O_NONBLOCK) == 0)
    let bytes = [UInt8](repeating: 46, count: 4_096)
    while write(writing, bytes, bytes.count) > 0 {}
    #expect(fcntl(writing, F_SETFL, 0) == 0)
    let end = StopMark()
    let output = Output(writing, until: end) { Issue.record("\($0)") }
    let writers = (0..<3).map { number in
      let (done, continuation) = AsyncStream.makeStream(of: Void.self)
      Thread.detachNewThread {
        output.line("\(number)")
        continuation.finish()
      }
      return done
    }
    end.set()
    for writer in writers { for await _ in writer {} }
    _ = pipe.fileHandleForReading.availableData
    output.line("dropped")
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd()?.contains(UInt8(ascii: "\n")) != true)
  }

  @Test func `what is read is written after the program is asked to end`() throws {
    let pipe = Pipe.unshared()
    let end = StopMark()
    end.set()
    let line = String(repeating: "x", count: 10_000)
    let output = Output(pipe.fileHandleForWriting.fileDescriptor, until: end) { _ in }
    output.line(line)
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data((line + "\n").utf8))
  }

  @Test func `lines arrive at once and whole`() throws {
    let pipe = Pipe.unshared()
    let output = Output(pipe.fileHandleForWriting.fileDescriptor) { _ in }
    output.line("one")
    #expect(pipe.fileHandleForReading.availableData == Data("one\n".utf8))
    output.json(["two"])
    #expect(pipe.fileHandleForReading.availableData == Data("[\"two\"]\n".utf8))
  }

  @Test func `a full pipe blocks the writer, even if it is non-blocking`() throws {
    let pipe = Pipe.unshared()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    _ = linux_fcntl(descriptor, F_SETFL, O_NONBLOCK)
    let line = String(repeating: "x", count: 1 << 20)
    Thread.detachNewThread {
      Output(descriptor) { _ in }.line(line)
      pipe.fileHandleForWriting.closeFile()
    }
    #expect(try pipe.fileHandleForReading.readToEnd()?.count == line.utf8.count + 1)
  }

  @Test func `a broken pipe is reported once`() {
    linux_ignore_signal(SIGPIPE)
    // Not a pipe: a process that another test starts just now would share its reading end.
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { ends.forEach { close($0) } }
    shutdown(ends[0], Int32(SHUT_RD))
    let failures = Mutex<[Int32]>([])
    let output = Output(ends[1]) { error in failures.withLock { $0.append(error.errno) } }
    output.line("one")
    output.line("two")
    #expect(failures.withLock { $0 } == [EPIPE])
  }

  @Test func `diagnostics are single visible lines up to their level`() throws {
    let pipe = Pipe.unshared()
    let output = Output(pipe.fileHandleForWriting.fileDescriptor) { _ in }
    let diagnostics = Diagnostics(program: "try", level: .warning, output: output)
    diagnostics.error("no room\nfor \u{1B}")
    diagnostics.warning("odd")
    diagnostics.detail("not told")
    pipe.fileHandleForWriting.closeFile()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data("try: no room\\nfor \\u{1B}\ntry: odd\n".utf8))
  }

  @Test func `lines for the journal begin with their level`() throws {
    let pipe = Pipe.unshared()
    let output = Output(pipe.fileHandleForWriting.fileDescriptor) { _ in }
    let diagnostics = Diagnostics(program: "try", level: .notice, output: output, isForJournal: true)
    diagnostics.error("one\ntwo")
    diagnostics.warning("three")
    diagnostics.notice("four")
    diagnostics.detail("five")
    pipe.fileHandleForWriting.closeFile()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data("<3>try: one\\ntwo\n<4>try: three\n<5>try: four\n".utf8))
  }
}
