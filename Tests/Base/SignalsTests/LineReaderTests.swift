import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import _BonjourishSignals

struct LineReaderTests {
  @Test(arguments: [1, 2, 3, 5, 100])
  func `lines are split in whatever pieces the bytes come`(size: Int) {
    let bytes = Array("one\r\ntwo\n\n\u{E9}\n".utf8) + [0xFF, 0x0A] + Array("12345678\r\n123456789\n12345678\r\r\nrest".utf8)
    var splitter = LineSplitter(limit: 8)
    var lines: [InputLine] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      lines += splitter.take(bytes[start..<min(start + size, bytes.count)])
    }
    lines += splitter.finish().map { [$0] } ?? []
    #expect(
      lines == [
        .text("one"), .text("two"), .text(""), .text("\u{E9}"), .notText, .text("12345678"), .tooLong(limit: 8),
        .tooLong(limit: 8), .text("rest"),
      ])
  }

  @Test func `an endless line takes no memory and the next one is read`() {
    var splitter = LineSplitter(limit: 8)
    for _ in 0..<1000 { #expect(splitter.take(repeatElement(0x78, count: 100)).isEmpty) }
    #expect(splitter.take(Array("\nnext\n".utf8)) == [.tooLong(limit: 8), .text("next")])
    #expect(splitter.finish() == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `lines of a pipe come one by one until its end`() async throws {
    let pipe = Pipe.unshared()
    let reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
    var lines = reader.makeAsyncIterator()
    pipe.fileHandleForWriting.write(Data("one\ntwo\nthr".utf8))
    #expect(await lines.next() == .text("one"))
    #expect(await lines.next() == .text("two"))
    pipe.fileHandleForWriting.write(Data("ee".utf8))
    pipe.fileHandleForWriting.closeFile()
    #expect(await lines.next() == .text("three"))
    #expect(await lines.next() == nil)
    #expect(await lines.next() == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `more lines than the queue holds all arrive in order`() async throws {
    let pipe = Pipe.unshared()
    let reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
    Thread.detachNewThread {
      pipe.fileHandleForWriting.write(Data((0..<10_000).map { "\($0)\n" }.joined().utf8))
      pipe.fileHandleForWriting.closeFile()
    }
    var count = 0
    for await line in reader {
      #expect(line == .text("\(count)"))
      count += 1
    }
    #expect(count == 10_000)
  }

  @Test(.timeLimit(.minutes(1))) func `a full queue takes no line before one is taken, and none after it was closed`() async {
    let queue = LineQueue(capacity: 2)
    let appended = Observed(0)
    Thread.detachNewThread {
      for number in 1...3 {
        queue.append(.text("\(number)"))
        appended.change { $0 += 1 }
      }
    }
    _ = await appended.take { $0 == 2 ? () : nil }
    // Time for a line too many.
    for _ in 0..<1_000 where appended.value(\.self) == 2 { await Task.yield() }
    queue.close()
    var lines: [InputLine] = []
    while let line = await queue.next() { lines.append(line) }
    #expect(lines == [.text("1"), .text("2")])
    // The third has gone on, too.
    _ = await appended.take { $0 == 3 ? () : nil }
  }

  @Test(.timeLimit(.minutes(1))) func `what cannot be read is an end`() async {
    let folder = linux_open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    defer { close(folder) }
    var lines = LineReader(folder).makeAsyncIterator()
    #expect(await lines.next() == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `cancelling ends the wait and loses no line`() async throws {
    let pipe = Pipe.unshared()
    let reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
    let task = Task { () -> InputLine? in
      var lines = reader.makeAsyncIterator()
      return await lines.next()
    }
    task.cancel()
    #expect(await task.value == nil)
    pipe.fileHandleForWriting.write(Data("one\n".utf8))
    var lines = reader.makeAsyncIterator()
    #expect(await lines.next() == .text("one"))
  }

  @Test func `whether the lines come from a terminal is known, and the reader of one gets them, too`() async {
    let pipe = Pipe.unshared()
    #expect(!LineReader(pipe.fileHandleForReading.fileDescriptor).isTerminal)
    let terminal = PseudoTerminal()
    let reader = LineReader(terminal.terminal)
    #expect(reader.isTerminal)
    terminal.type("one\n")
    var lines = reader.makeAsyncIterator()
    #expect(await lines.next() == .text("one"))
  }

  @Test(.timeLimit(.minutes(1))) func `bytes that somebody else has taken are no end, and lines have up to 4 KiB`() async throws
  {
    let pipe = Pipe.unshared()
    let (reading, writing) = (pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting)
    #expect(linux_fcntl(reading, F_SETFL, O_NONBLOCK) == 0)
    let reader = LineReader(reading)
    var lines = reader.makeAsyncIterator()
    // Taken at times before the reader does.
    for _ in 0..<100 {
      writing.write(Data("\n".utf8))
      var byte: UInt8 = 0
      _ = read(reading, &byte, 1)
    }
    let longest = String(repeating: "x", count: 4_096)
    writing.write(Data("\n\(longest)\nx\(longest)\n".utf8))
    writing.closeFile()
    var last: [InputLine] = []
    while let line = await lines.next() { last = last.suffix(1) + [line] }
    #expect(last == [.text(longest), .tooLong(limit: 4_096)])
  }

  @Test(.timeLimit(.minutes(1))) func `a reader that is released has no thread any more, whatever it waited for`() async {
    // In a process of its own, where nobody else starts threads.
    await #expect(processExitsWith: .success) {
      func threadCount() throws -> Int { try listFolder("/proc/self/task").count }
      let pipes = (0..<10).map { _ in (Pipe.unshared(), Pipe.unshared()) }
      let before = try threadCount()
      for (silent, full) in pipes {
        full.fileHandleForWriting.write(Data(String(repeating: "line\n", count: 200).utf8))
        var lines = LineReader(full.fileHandleForReading.fileDescriptor).makeAsyncIterator()
        #expect(await lines.next() == .text("line"))
        _ = LineReader(silent.fileHandleForReading.fileDescriptor)
      }
      // The threads that tasks share may have become more.
      while try threadCount() > before + 4 { await Task.yield() }
    }
  }
}
