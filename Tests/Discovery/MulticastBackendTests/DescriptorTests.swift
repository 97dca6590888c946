import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishMulticastBackend

/// What becomes of the descriptors of sockets that cannot be used.
@Suite(.timeLimit(.minutes(1))) struct DescriptorTests {
  @Test func `a socket that cannot be bound is closed once`() async throws {
    let isDone = Locked(false)
    let (beginning, begun) = AsyncStream.makeStream(of: Void.self)
    // Another thread opens descriptors all the time, which get the numbers that have just become free.
    async let foreign = blocking {
      var (opened, taken) = (0, 0)
      while !isDone.withLock({ $0 }) {
        let descriptor = eventfd(0, CInt(EFD_CLOEXEC))
        sched_yield()
        opened += 1
        begun.finish()
        if close(descriptor) != 0 { taken += 1 }
      }
      return (opened, taken)
    }
    for await _ in beginning {}
    var failures = 0
    for _ in 0..<5_000 {
      // There is no such interface, so that binding fails after all properties are set.
      if (try? MulticastSocket(.ipv6, for: .group(0x7FFF_FFFF))) == nil { failures += 1 }
    }
    isDone.withLock { $0 = true }
    let (opened, taken) = try await foreign
    #expect(failures == 5_000 && opened > 0)
    #expect(taken == 0, "descriptors of others were closed")
  }
}
