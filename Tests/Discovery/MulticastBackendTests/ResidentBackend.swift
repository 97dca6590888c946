import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// What a handler was called with.
final class Recorder<Value: Sendable>: Sendable {
  private let all = Locked<[Value]>([])

  var values: [Value] { all.withLock { $0 } }

  func append(_ value: Value) { all.withLock { $0.append(value) } }

  /// What came since the last time.
  func take() -> [Value] {
    all.withLock { values in
      defer { values = [] }
      return values
    }
  }
}

/// A built-in backend with a loop of its own. Tests tell it what happens, and look at it before anything else does.
final class ResidentBackend: Sendable {
  let loop: EventLoop
  let backend: MulticastBackend
  let log = Recorder<LogMessage>()

  private init() async throws {
    loop = try EventLoop(name: "resident")
    backend = try await MulticastBackend(on: loop) { [log] in log.append($0) }
  }

  /// Runs a test with a backend that hears nothing.
  static func run(_ body: (ResidentBackend) async throws -> Void) async throws {
    let resident = try await ResidentBackend()
    await resident.on { backend in
      for socket in backend.sockets.values.joined() { socket.stop() }
      // A timer that seems to be set already is not: echoes are missing only where the test says so.
      backend.isSettingEchoTimer = true
    }
    let result: Result<Void, any Error>
    do {
      result = .success(try await body(resident))
    } catch {
      result = .failure(error)
    }
    await resident.backend.close()
    await resident.loop.shutdown()
    try result.get()
  }

  /// Runs a body on the loop, at a stretch, after all commands so far.
  func on<Value: Sendable>(_ body: @escaping @Sendable (isolated MulticastBackend) -> Value) async -> Value {
    await withCheckedContinuation { continuation in backend.perform { continuation.resume(returning: body($0)) } }
  }

  /// Waits for the end of a tick.
  func endOfTick() async { await backend.drain() }
}

extension MulticastBackend {
  /// The one link of an operation on the loopback interface over IPv4.
  var onlyLink: MulticastLink { links.keys.first! }

  /// Lets the echoes of all that was sent be missing for long enough.
  func loseEchoes() {
    for link in links.keys {
      var check = EchoCheck()
      check.sent(nil, at: .seconds(-10))
      for _ in 0..<EchoCheck.tests { _ = check.advance(to: check.nextDeadline!) }
      echoes[link] = check
    }
    testEchoes()
  }
}
