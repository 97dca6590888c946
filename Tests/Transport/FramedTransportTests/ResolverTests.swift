import CBonjourishLinux
import Testing

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ResolverTests {
  @Test func `addresses are looked up of the family that is asked for`() async throws {
    let resolver = Resolver()
    #expect(try await resolver.lookUp("127.0.0.1", .ipv4).map(\.host) == ["127.0.0.1"])
    #expect(try await resolver.lookUp("::1", .ipv6).map(\.host) == ["::1"])
    for host in ["127.0.0.1", "::1"] { #expect(try await resolver.lookUp(host, nil).map(\.host) == [host]) }
    for (host, family) in [("127.0.0.1", SocketAddress.Family.ipv6), ("::1", .ipv4)] {
      let error = await #expect(throws: TransportError.self) { try await resolver.lookUp(host, family) }
      #expect(error?.code == .nameNotFound && error?.message.hasPrefix("Looking up \(host) failed") == true)
    }
  }

  @Test func `more names than there are threads are all looked up`() async throws {
    let resolver = Resolver()
    let hosts = try await withThrowingTaskGroup { group in
      for number in 1...50 { group.addTask { try await resolver.lookUp("127.0.0.\(number)", .ipv4) } }
      return try await group.reduce(into: Set<String>()) { $0.formUnion($1.map(\.host)) }
    }
    #expect(hosts == Set((1...50).map { "127.0.0.\($0)" }))
  }

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
