import CBonjourishLinux
import Dispatch
import Synchronization
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct ListenerTests {
  @Test func `all addresses of an interface are listened at, on one port`() async throws {
    try await withListener { listener in
      #expect(listener.port != 0)
      #expect(Set(listener.addresses.map(\.port)) == [listener.port])
      #expect(Set(listener.addresses.map(\.host)).isSubset(of: ["127.0.0.1", "::1"]))
      for address in listener.addresses {
        let client = try await Connection.connect(to: [address])
        let server = try await listener.accept()
        #expect(server.peer == client.local)
        #expect(server.local == client.peer)
        #expect(server != client && server.id != client.id)
        await client.close()
      }
    }
  }

  @Test(arguments: [false, true])
  func `connections have the format, the limits and the loop that the listener was asked for`(isOneAddress: Bool) async throws {
    let format = FrameFormat(maximumBodySize: 77)
    let limits = TransportLimits.untimed(sendHighWater: 5_000)
    let pending = PendingConnectionLimits(admission: .app, count: 7)
    let transportLoop = TransportLoop(try EventLoop(name: "test"))
    let loops = TransportLoops([transportLoop])
    let messages = Locked<[LogMessage]>([])
    let log: @Sendable (LogMessage) -> Void = { message in messages.withLock { $0.append(message) } }
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
    let listener =
      if isOneAddress {
        try await Listener.bind(to: address, format: format, limits: limits, pending: pending, on: loops, log: log)
      } else {
        try await Listener.bind(interface: "lo", format: format, limits: limits, pending: pending, on: loops, log: log)
      }
    let client = try await Connection.connect(to: listener.addresses, format: format)
    let server = try await listener.accept()
    #expect(server.format == format && server.channel.limits == limits && server.channel.loop === transportLoop.loop)
    #expect(listener.acceptor.loop === transportLoop.loop && listener.acceptor.registry.limits == pending)
    #expect(messages.withLock { $0.map(\.level) } == [.info])
    client.abort()
    await listener.close()
  }

  @Test func `a port that is taken is refused`() async throws {
    try await withListener { listener in
      let error = await #expect(throws: TransportError.self) {
        try await Listener.bind(port: listener.port, interface: "lo")
      }
      #expect(error?.code == .addressInUse)
      #expect(error?.description.contains("choose another port") == true)
    }
  }

  @Test func `another port is chosen when one family's is taken`() async throws {
    // The system gives out ports of its choice by family, so that among many some are taken in the other.
    let taken = try (0..<200).map { _ in try RawSocket() }
    for _ in 0..<20 {
      try await withListener { listener in
        #expect(!taken.map(\.port).contains(listener.port))
      }
    }
  }

  @Test func `an interface that does not exist is refused`() async {
    let error = await #expect(throws: TransportError.self) { try await Listener.bind(interface: "nonesuch0") }
    #expect(error?.code == .unavailable)
    #expect(error?.description.contains("nonesuch0") == true)
  }

  @Test func `closing ends the iteration and frees the port`() async throws {
    let listener = try await Listener.bind(interface: "lo")
    let iteration = Task { for await _ in listener.connections {} }
    try await until { listener.acceptor.state.withLock { $0.taker != nil } }
    await listener.close()
    await iteration.value
    let error = await #expect(throws: TransportError.self) { try await Connection.connect(to: listener.addresses) }
    #expect(error?.code == .refused)
    await listener.close()
  }

  @Test func `a listener that is forgotten frees the port`() async throws {
    var listener: Listener? = try await Listener.bind(interface: "lo")
    let port = try #require(listener?.port)
    listener = nil
    var isFree = false
    while !isFree {
      do throws(TransportError) {
        try await Listener.bind(port: port, interface: "lo").close()
        isFree = true
      } catch {
        try #require(error.code == .addressInUse)
        await Task.yield()
      }
    }
  }

  @Test func `cancelling ends the iteration and the tasks of the connections`() async throws {
    try await withListener { listener in
      let hasStarted = Atomic(false)
      let serving = Task {
        await listener.serve { connection in
          hasStarted.store(true, ordering: .relaxed)
          var frames = connection.frames.makeAsyncIterator()
          let error = await #expect(throws: TransportError.self) { try await frames.next() }
          #expect(error?.code == .cancelled)
        }
      }
      let client = try await Connection.connect(to: listener.addresses)
      try await until { hasStarted.load(ordering: .relaxed) }
      serving.cancel()
      await serving.value
      var frames = client.frames.makeAsyncIterator()
      #expect(try await frames.next() == nil)
    }
  }

  @Test func `a handler that blocks does not hold up another connection`() async throws {
    let barrier = Barrier()
    try await withListener { listener in
      let serving = Task {
        await listener.serve { connection in
          do {
            for try await frame in connection.frames {
              #expect(!connection.channel.loop.isCurrent)
              if frame == [0] { barrier.block() }
              try await connection.send(frame)
            }
          } catch {}
        }
      }
      let (blocked, other) = (
        try await Connection.connect(to: listener.addresses), try await Connection.connect(to: listener.addresses)
      )
      try await blocked.send([0])
      try await until { barrier.isBlocked.withLock { $0 } }
      var echoes = other.frames.makeAsyncIterator()
      try await other.send([1])
      #expect(try await echoes.next() == [1])
      let late = try await Connection.connect(to: listener.addresses)
      try await late.send([2])
      #expect(try await late.frames.first { _ in true } == [2])
      barrier.open()
      #expect(try await blocked.frames.first { _ in true } == [0])
      for client in [blocked, other, late] { client.abort() }
      await listener.close()
      await serving.value
    }
  }

  @Test func `more connections than wait in the listener are all served`() async throws {
    try await withListener { listener in
      let clients = try (0..<300).map { _ in try RawSocket(connectedTo: listener.port) }
      var peers: Set<UInt16> = []
      for _ in clients { peers.insert(try await listener.accept().peer.port) }
      #expect(peers == Set(clients.map(\.port)))
    }
  }

  @Test func `so many connections wait in the listener, and more come in when half of them were taken`() async throws {
    try await withListener { listener in
      let clients = try (0..<70).map { _ in try RawSocket(connectedTo: listener.port) }
      func state() -> (count: Int, isFull: Bool) { listener.acceptor.state.withLock { ($0.waiting.count, $0.isFull) } }
      try await until { state().isFull }
      for count in stride(from: 64, to: 32, by: -1) {
        #expect(state() == (count, true))
        _ = try await listener.accept()
      }
      #expect(!state().isFull)
      try await until { state().count == 70 - 32 }
      for client in clients { client.close() }
    }
  }

  @Test func `a connection without a descriptor left for it is refused at once, and a later one is served`() async {
    // In a process of its own, for it is the process that runs out.
    await #expect(processExitsWith: .success) {
      try await withLoggedListener { listener, warnings in
        await untilRuntimeHasItsDescriptors()
        let clients = try (0..<4).map { _ in try RawSocket() }
        // Descriptors are given out from the lowest, so with this limit there are few, and all are taken.
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        var fillers: [CInt] = []
        while case let filler = linux_open("/dev/null", O_RDONLY, 0), filler >= 0 { fillers.append(filler) }
        for client in clients[..<3] {
          #expect(throws: RawSocket.Failure(errno: ECONNRESET)) {
            try client.connect(to: listener.port)
            _ = try client.readToEnd()
          }
        }
        // Counted when it has been done, which the peer may see before.
        try await until { listener.metrics.shed == 3 }
        #expect(listener.metrics.accepted == 0)
        #expect(warnings.value(\.first)?.hasPrefix("a connection at 127.0.0.1:\(listener.port) was reset") == true)
        close(fillers[0])
        try clients[3].connect(to: listener.port)
        #expect(try await listener.accept().peer == clients[3].socketAddress)
      }
    }
  }

  @Test func `without a descriptor left for a connection, one that hesitates makes room for the next`() async {
    await #expect(processExitsWith: .success) {
      try await withListener { listener in
        await untilRuntimeHasItsDescriptors()
        let clients = try (0..<3).map { _ in try RawSocket() }
        try clients[0].connect(to: listener.port)
        let hesitant = try await listener.accept()
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        while linux_open("/dev/null", O_RDONLY, 0) >= 0 {}
        #expect(throws: RawSocket.Failure(errno: ECONNRESET)) {
          try clients[1].connect(to: listener.port)
          _ = try clients[1].readToEnd()
        }
        let error = await #expect(throws: TransportError.self) { try await hesitant.next() }
        #expect(error?.code == .displaced)
        try await until { listener.metrics.connections == 0 }
        try clients[2].connect(to: listener.port)
        #expect(try await listener.accept().peer == clients[2].socketAddress)
        #expect(listener.metrics.shed == 1 && listener.metrics.displaced == 1)
      }
    }
  }

  @Test func `without a descriptor to spare connections wait`() async {
    await #expect(processExitsWith: .success) {
      try await withLoggedListener { listener, warnings in
        await untilRuntimeHasItsDescriptors()
        let client = try RawSocket()
        var limit = rlimit(rlim_cur: 64, rlim_max: 64)
        #expect(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
        SpareDescriptor.shared.descriptor.withLock { descriptor in
          close(descriptor)
          descriptor = -1
        }
        var fillers: [CInt] = []
        while case let filler = linux_open("/dev/null", O_RDONLY, 0), filler >= 0 { fillers.append(filler) }
        try client.connect(to: listener.port)
        var isShort = false
        while !isShort {
          isShort = await withCheckedContinuation { continuation in
            listener.acceptor.loop.perform { continuation.resume(returning: listener.acceptor.isShort) }
          }
        }
        for filler in fillers { close(filler) }
        #expect(try await listener.accept().peer == client.socketAddress)
        #expect(warnings.value(\.first)?.hasPrefix("accepting at 127.0.0.1:\(listener.port) pauses") == true)
      }
    }
  }
}

/// A listener at 127.0.0.1, and the warnings that it has given.
private func withLoggedListener(_ body: (Listener, _ warnings: Observed<[String]>) async throws -> Void) async throws {
  let warnings = Observed<[String]>([])
  let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: 0))
  let listener = try await Listener.bind(to: address, limits: .untimed, pending: .unlimited) { message in
    if message.level == .warning { warnings.change { $0.append(message.text) } }
  }
  try await body(listener, warnings)
  await listener.close()
}

/// The runtime opens some descriptors of its own when it first sets a timer, and does not survive when it cannot.
private func untilRuntimeHasItsDescriptors() async {
  let timer = DispatchSource.makeTimerSource()
  await withCheckedContinuation { continuation in
    timer.setEventHandler { continuation.resume() }
    // Not at once, for which it would not need them.
    timer.schedule(deadline: .now() + .milliseconds(1))
    timer.activate()
  }
  timer.cancel()
}

/// Blocks a thread until it is told to go on.
private final class Barrier: Sendable {
  let isBlocked = Locked(false)
  private let semaphore = DispatchSemaphore(value: 0)

  func block() {
    isBlocked.withLock { $0 = true }
    semaphore.wait()
  }

  func open() { semaphore.signal() }
}
