import Foundation
import TestSupport
import Testing
import _BonjourishConsole

@testable import bonjourish_cli

/// `publish --until`.
@Suite(.timeLimit(.minutes(1)))
struct UntilTests {
  @Test(arguments: [
    ("pid:1", UntilCondition.process(1)), ("fd:0", .descriptor(0)), ("fd:13", .descriptor(13)), ("pid:0", nil), ("pid:", nil),
    ("pid:-1", nil), ("fd:-1", nil), ("3", nil), ("", nil), ("PID:3", nil), ("fd:3:4", nil), ("fd:99999999999", nil),
    ("fd:+3", nil),
  ])
  func `an end has one form`(text: String, condition: UntilCondition?) {
    #expect(UntilCondition(text) == condition)
  }

  @Test func `the end of a process is waited for`() async throws {
    let process = Process()
    let input = Pipe.unshared()
    process.executableURL = URL(filePath: "/bin/cat")
    process.standardInput = input
    try process.run()
    let end = try UntilCondition.process(process.processIdentifier).begin()
    async let wait: Void = end.wait()
    try input.fileHandleForWriting.close()
    await wait
    process.waitUntilExit()
  }

  @Test func `the end of a stream is waited for, and what comes before is dropped`() async throws {
    let pipe = Pipe.unshared()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    let end = try AwaitedEnd(descriptor: descriptor, isStream: true)
    async let wait: Void = end.wait()
    try pipe.fileHandleForWriting.write(contentsOf: Data(repeating: 1, count: 100_000))
    try pipe.fileHandleForWriting.close()
    await wait
    withExtendedLifetime(pipe) {}
  }

  @Test func `what has no end is refused`() throws {
    let file = try FileHandle(forReadingFrom: URL(filePath: #filePath))
    #expect(throws: Failure.self) { try AwaitedEnd(descriptor: file.fileDescriptor, isStream: true) }
    let folder = open("/", O_RDONLY | O_CLOEXEC)
    #expect(throws: Failure.self) { try AwaitedEnd(descriptor: folder, isStream: true) }
    close(folder)
    // Descriptors that are not passed on to programs are not inherited ones.
    let pipe = Pipe.unshared()
    let descriptor = pipe.fileHandleForReading.fileDescriptor
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    #expect(throws: Failure.self) { try UntilCondition.descriptor(descriptor).begin() }
    _ = fcntl(descriptor, F_SETFD, 0)
    #expect(throws: Never.self) { try UntilCondition.descriptor(descriptor).begin() }
    #expect(throws: Failure.self) { try UntilCondition.descriptor(pipe.fileHandleForWriting.fileDescriptor).begin() }
    #expect(throws: Failure.self) { try UntilCondition.process(4_194_305).begin() }
    try file.close()
  }
}
