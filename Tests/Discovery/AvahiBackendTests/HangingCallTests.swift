#if Avahi
import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import Testing

@testable import _BonjourishAvahiBackend

/// What does not wait for a call that hangs, with a job that blocks the thread of the calls as one would.
@Suite(.timeLimit(.minutes(1))) final class HangingCallTests: Sendable {
  private let loop: EventLoop
  private let home: EventLoop
  private let backend: AvahiBackend
  /// A byte written there ends the call.
  private let release: OwnedDescriptor
  private let call: OwnedDescriptor

  init() throws {
    var ends: [CInt] = [0, 0]
    try #require(pipe(&ends) == 0)
    call = OwnedDescriptor(ends[0])
    release = OwnedDescriptor(ends[1])
    loop = try EventLoop(name: "calls")
    home = try EventLoop(name: "handlers")
    backend = AvahiBackend(on: loop, handlersOn: home, interfaces: { [] }, log: { _ in })
    let descriptor = ends[0]
    loop.execute {
      var byte: UInt8 = 0
      _ = read(descriptor, &byte, 1)
    }
  }

  /// Ends the call and all that waits for it.
  private func end() async {
    backend.closeSoon()
    _ = write(release.number, "x", 1)
    await loop.shutdown()
    await home.shutdown()
  }

  /// Why the daemon is not found; nil if it is.
  private func failure(within limit: Duration) async -> DiscoveryError.Code? {
    do throws(DiscoveryError) {
      try await backend.connect(within: limit)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `looking for the daemon ends in time`() async {
    #expect(await failure(within: .milliseconds(20)) == .unavailable)
    await end()
  }

  @Test func `looking for the daemon ends when the task is cancelled`() async {
    let task = Task { [self] in await failure(within: .seconds(60)) }
    task.cancel()
    #expect(await task.value == .cancelled)
    await end()
  }

  @Test func `draining and closing do not wait for it, and only the first of them waits at all`() async {
    func time(of work: () async -> Void) async -> Duration {
      let start = ContinuousClock.now
      await work()
      return ContinuousClock.now - start
    }
    #expect(await time { await backend.drain() } >= AvahiBackend.drainLimit)
    // The shortest of several: a busy machine may delay some of them, but one that waits takes this long each time.
    var later: [Duration] = []
    for _ in 0..<4 { later.append(await time { await backend.drain() }) }
    later.append(await time { await backend.close() })
    #expect(later.contains { $0 < AvahiBackend.drainLimit }, "\(later)")
    await end()
  }
}
#endif
