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
    let start = ContinuousClock.now
    await backend.drain()
    let first = ContinuousClock.now - start
    #expect(first >= AvahiBackend.drainLimit)
    await backend.drain()
    await backend.close()
    #expect(ContinuousClock.now - start < first + AvahiBackend.drainLimit)
    await end()
  }
}
#endif
