import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// While another program holds the lock of a file of keys, whoever does not need the file waits for nothing.
@Suite(.timeLimit(.minutes(1))) struct KeepingKeysTests {
  private let folder: TemporaryFolder
  private let host: Identity
  private let store: PinStore

  init() throws {
    folder = try TemporaryFolder()
    host = try Identity.ephemeral()
    store = try PinStore(at: "\(folder.path)/pins")
  }

  /// Holds the lock as another program does, for the time of a closure, which is given what releases it.
  private func withLock(_ body: (_ release: () -> Void) async throws -> Void) async throws {
    let descriptor = linux_open("\(folder.path)/pins.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(descriptor) }
    try #require(flock(descriptor, LOCK_EX) == 0)
    try await body { _ = flock(descriptor, LOCK_UN) }
  }

  @Test func `a guest whose key is being stored delays no other guest, and is delivered once it is`() async throws {
    let (known, stranger) = (try Identity.ephemeral(), try Identity.ephemeral())
    try store.pin(known.fingerprint, for: "Bob")
    let listening = ListenerSecurity.passcode(PasscodeGuard("471123"), or: .known(store), identity: host)
    try await withListener(listening, on: .one) { listener in
      try await withLock { release in
        let first = try await listener.reach(.passcode("471123", identity: stranger))
        for _ in 0..<5 {
          let client = try await listener.reach(.pinned(host.fingerprint, identity: known))
          let server = try await listener.accept()
          #expect(server.securityDetails?.peerKey == known.fingerprint)
          try await server.send([1])
          #expect(try await client.next() == [1])
          client.abort()
        }
        #expect(!store.contains(stranger.fingerprint))
        release()
        let server = try await listener.accept()
        #expect(server.securityDetails?.peerKey == stranger.fingerprint && store.contains(stranger.fingerprint))
        first.abort()
      }
    }
  }

  @Test func `many guests whose keys are being stored leave the threads that tasks share alone`() async throws {
    let listening = ListenerSecurity.passcode(PasscodeGuard("471123"), or: .known(store), identity: host)
    try await withListener(listening, on: .one) { listener in
      try await withLock { release in
        var clients: [Connection] = []
        for _ in 0..<4 { clients.append(try await listener.reach(.passcode("471123", identity: try .ephemeral()))) }
        // Tasks go on, which they would not if as many waited as there are threads.
        await withTaskGroup { group in
          for _ in 0..<100 { group.addTask { await Task.yield() } }
        }
        #expect(try store.keys().isEmpty)
        release()
        for _ in clients { _ = try await listener.accept() }
        #expect(try store.keys().count == clients.count)
        for client in clients { client.abort() }
      }
    }
  }

  @Test func `a client that stores the key of its host on a loop's thread does not stop the loop`() async throws {
    try await withListener(.encrypted(host), on: .one) { listener in
      let client = try await listener.reach(.anyKey())
      let server = try await listener.accept()
      try await withLock { release in
        let isDone = Locked(false)
        let connecting = Task(executorPreference: client.executor) {
          let connection = try await Connection.connect(
            to: listener.addresses, limits: .untimed, security: .firstUse(store, name: "a"), on: client.loop)
          isDone.withLock { $0 = true }
          return connection
        }
        let other = try await listener.accept()
        for _ in 0..<50 {
          try await client.send([1])
          #expect(try await server.next() == [1])
        }
        #expect(!isDone.withLock { $0 } && !store.contains(host.fingerprint))
        release()
        let connection = try await connecting.value
        #expect(store.key(of: "a") == host.fingerprint)
        connection.abort()
        other.abort()
      }
      client.abort()
    }
  }
}
