import Foundation
import TestSupport
import Testing

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
}
