import CBonjourishLinux
import Testing

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ResolverTests {
  @Test func `threads that have looked up names leave nothing behind`() async {
    // In a process of its own, where nobody else begins threads.
    await #expect(processExitsWith: .success) {
      /// The address space of this process in MiB, of which each thread's stack takes 8.
      func size() throws -> Int {
        let file = linux_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0)
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(file, &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmSize:") })
        return try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }) / 1024
      }
      func lookUp(_ count: Int) async throws {
        for _ in 0..<count { #expect(try await Resolver.shared.lookUp("127.0.0.1", .ipv4).count == 1) }
      }
      // The system keeps some stacks for later threads.
      try await lookUp(20)
      let before = try size()
      // Most of them are done by a thread of their own, because there is no other one.
      try await lookUp(400)
      let growth = try size() - before
      #expect(growth < 400)
    }
  }
}
