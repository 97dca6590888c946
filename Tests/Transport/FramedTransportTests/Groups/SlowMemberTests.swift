import CBonjourishLinux
import FramedCoding
import FramedTransportTesting
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct SlowMemberTests {
  private let backlogLimit = 64 * 1024
  private let frameSize = 10_004

  /// A body that tells its number in all of its bytes.
  private func body(_ number: Int) -> [UInt8] {
    var writer = MessageWriter()
    writer.writeUInt32(UInt32(number))
    return writer.bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: frameSize - 8)
  }

  /// The numbers of frames, each of which has to be whole.
  private func numbers(_ bytes: [UInt8]) throws -> [Int] {
    var decoder = FrameDecoder()
    decoder.append(contentsOf: bytes)
    var numbers: [Int] = []
    while let frame = try decoder.nextFrame() {
      var reader = MessageReader(frame)
      let number = Int(try reader.readUInt32())
      #expect(frame == body(number))
      numbers.append(number)
    }
    try decoder.finish()
    return numbers
  }

  /// A group with one member, whose peer does not read, and another, whose peer reads everything at once.
  private func withSlowMember(
    _ policy: Group.Policy, backlogLimit: Int? = nil,
    _ run: (_ group: Group, _ slow: Connection, _ peer: RawSocket, _ fastNumbers: Task<[Int], any Error>) async throws -> Void
  ) async throws {
    try await withListener { listener in
      let peer = try RawSocket(connectedTo: listener.port, holding: 64 * 1024)
      let slow = try await listener.accept()
      let client = try await Connection.connect(to: listener.addresses)
      let fast = try await listener.accept()
      let group = Group(backlogLimit: backlogLimit ?? self.backlogLimit)
      group.add(slow, whenSlow: policy)
      group.add(fast, whenSlow: .wait)
      let fastNumbers = Task {
        var bytes: [UInt8] = []
        for try await frame in client.frames { try FrameEncoder().encode(frame, into: &bytes) }
        return try numbers(bytes)
      }
      defer { slow.abort() }
      try await run(group, slow, peer, fastNumbers)
      await fast.close(within: .seconds(1000))
      _ = await fastNumbers.result
    }
  }

  private func isWaiting(_ group: Group) -> Bool { group.broadcaster.state.withLock { !$0.waiters.isEmpty } }

  /// What the log of a group may take.
  private var largestCapacity: Int { 2 * (backlogLimit + frameSize) + 128 * 1024 }

  private func logCapacity(_ group: Group) -> Int { group.broadcaster.state.withLock { $0.log.capacity } }

  /// What the connection itself holds of broadcasts.
  private func heldBytes(_ connection: Connection) -> Int { connection.channel.outbound.withLock { $0.byteCount } }

  /// More frames than the system holds of a connection whose peer does not read: what may wait to be sent is 4 MiB at most.
  private let many = 600

  @Test func `a broadcast that waits for a slow member suspends in bounded memory, and loses nothing`() async throws {
    try await withSlowMember(.wait) { group, slow, peer, fastNumbers in
      let broadcaster = Task {
        for number in 0..<many { try await group.broadcast(body(number)) }
      }
      try await until { isWaiting(group) }
      #expect(try !group.tryBroadcast([1]))
      #expect(logCapacity(group) <= largestCapacity)
      #expect(heldBytes(slow) < frameSize)
      async let received = blocking { try peer.readToEnd() }
      try await broadcaster.value
      await slow.close(within: .seconds(1000))
      #expect(try await numbers(received) == Array(0..<many))
      try await until { group.broadcaster.state.withLock { $0.log.capacity } == 0 }
    }
  }

  @Test func `a cancelled broadcast is not sent, and others go on when the slow member has gone`() async throws {
    try await withSlowMember(.wait) { group, slow, peer, fastNumbers in
      let broadcaster = Task {
        var number = 0
        do throws(TransportError) {
          while true {
            try await group.broadcast(body(number))
            number += 1
          }
        } catch {
          #expect(error.code == .cancelled)
        }
        return number
      }
      try await until { isWaiting(group) }
      broadcaster.cancel()
      let accepted = await broadcaster.value
      #expect(!isWaiting(group))

      // The system may have taken more in the meantime.
      let next = Task {
        for number in accepted..<accepted + many { try await group.broadcast(body(number)) }
      }
      try await until { isWaiting(group) }
      slow.abort()
      try await next.value
      try await until { logCapacity(group) == 0 }
      #expect(group.count == 1)
    }
  }

  @Test func `a member to be dropped is when it is too far behind, and holds up no other`() async throws {
    try await withSlowMember(.drop(after: .seconds(1000))) { group, slow, peer, fastNumbers in
      for number in 0..<many { try await group.broadcast(body(number)) }
      #expect(group.count == 1)
      var frames = slow.frames.makeAsyncIterator()
      let error = try await #require(throws: TransportError.self) { try await frames.next() }
      #expect(error.code == .lagging)
      #expect(throws: error) { try slow.trySend([1]) }
      try await until { logCapacity(group) == 0 }
      await #expect(throws: RawSocket.Failure.self) { try await blocking { try peer.readToEnd() } }
    }
  }

  @Test func `a member to be dropped is when it stays behind for too long`() async throws {
    try await withSlowMember(.drop(after: .milliseconds(1)), backlogLimit: 1 << 30) { group, slow, peer, fastNumbers in
      for number in 0..<many { try await group.broadcast(body(number)) }
      var frames = slow.frames.makeAsyncIterator()
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .lagging)
      try await until { logCapacity(group) == 0 }
    }
  }

  @Test func `a slow member that takes a little all the time is dropped too`() async throws {
    try await withSlowMember(.drop(after: .milliseconds(1)), backlogLimit: 1 << 30) { group, slow, peer, fastNumbers in
      // It reads without a pause, but byte by byte.
      let reading = Task { try await blocking { while try !peer.read(atMost: 1).isEmpty {} } }
      for number in 0..<many { try await group.broadcast(body(number)) }
      await #expect(throws: RawSocket.Failure(errno: ECONNRESET)) { try await reading.value }
      var frames = slow.frames.makeAsyncIterator()
      let error = await #expect(throws: TransportError.self) { try await frames.next() }
      #expect(error?.code == .lagging)
    }
  }

  @Test func `a member that takes the newest frame gets whole frames, and the last one`() async throws {
    try await withSlowMember(.latest) { group, slow, peer, fastNumbers in
      for number in 0..<many {
        try await group.broadcast(body(number))
        #expect(logCapacity(group) <= largestCapacity)
      }
      try await until { group.broadcaster.state.withLock { $0.log.byteCount } == 0 }
      #expect(heldBytes(slow) < frameSize)
      #expect(logCapacity(group) <= 64 * 1024)
      async let received = blocking { try peer.readToEnd() }
      // Now that it reads it has to catch up, and then lags no more.
      try await until { slow.channel.outbound.withLock { $0.waitingByteCount == 0 && !$0.memberships[0].cursor.isLagging } }
      for number in many..<many + 10 {
        try await group.broadcast(body(number))
        try await until { slow.channel.outbound.withLock { $0.waitingByteCount == 0 } }
      }
      await slow.close(within: .seconds(1000))
      let numbers = try await numbers(received)
      #expect(numbers.count < many)
      #expect(numbers.suffix(11) == Array(many - 1..<many + 10))
      #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 })
      #expect(zip(numbers, numbers.dropFirst()).count { $0 + 1 != $1 } == 1)
    }
  }

  @Test(arguments: [Group.Policy.wait, .latest])
  func `frames for a slow member alone are refused like its own, and come in order`(policy: Group.Policy) async throws {
    try await withSlowMember(policy, backlogLimit: 1 << 30) { group, slow, peer, fastNumbers in
      for number in 0..<many { try await group.broadcast(body(number)) }
      try await until { slow.channel.outbound.withLock { $0.memberships[0].cursor.isLagging } }
      let isAccepted = try slow.trySend(body(1_000_000))
      // Whoever skips is not behind by more than a frame.
      #expect(isAccepted == (policy == .latest))
      let sender = Task {
        try await slow.send(body(1_000_001))
        try await group.broadcast(body(many))
        try await slow.send(body(1_000_002))
      }
      async let received = blocking { try peer.readToEnd() }
      try await sender.value
      await slow.close(within: .seconds(1000))
      let numbers = try await numbers(received)
      switch policy {
      case .latest: #expect(numbers.suffix(5) == [many - 1, 1_000_000, 1_000_001, many, 1_000_002])
      default: #expect(numbers == Array(0..<many) + [1_000_001, many, 1_000_002])
      }
    }
  }

  @Test(arguments: [Group.Policy.wait, .drop(after: .seconds(1000)), .latest])
  func `a member that leaves while it lags gets what was broadcast before`(policy: Group.Policy) async throws {
    try await withSlowMember(policy, backlogLimit: 1 << 30) { group, slow, peer, fastNumbers in
      for number in 0..<many { try await group.broadcast(body(number)) }
      try await until { slow.channel.outbound.withLock { $0.memberships[0].cursor.isLagging } }
      #expect(group.remove(slow))
      // What is owed is shown to the system where it lies in the log, and keeps no more of it than that.
      try await until { logCapacity(group) == 0 }
      try await group.broadcast(body(many))
      async let received = blocking { try peer.readToEnd() }
      await slow.close(within: .seconds(1000))
      let numbers = try await numbers(received)
      #expect(numbers.last == many - 1)
      if policy != .latest { #expect(numbers == Array(0..<many)) }
    }
  }

  @Test(arguments: [Group.Policy.wait, .drop(after: .seconds(1000))])
  func `the backlog limit is the number of bytes at which no more is accepted, or the member is dropped`(
    policy: Group.Policy
  ) async throws {
    let (client, server, _) = try Connection.pair(
      limits: .untimed, conditions: .init(window: 1, delay: .seconds(3_600)))
    let group = Group(backlogLimit: 10)
    group.add(server, whenSlow: policy)
    #expect(try group.tryBroadcast([1]))
    // The member has the rest of the frame of which one byte has left.
    try await until { heldBytes(server) == 4 && group.broadcaster.state.withLock { $0.log.byteCount } == 0 }
    #expect(try group.tryBroadcast([2]))
    try await until { server.channel.outbound.withLock { $0.memberships.first?.cursor.isLagging == true } }
    #expect(group.count == 1)
    #expect(try group.tryBroadcast([3]))
    switch policy {
    case .drop: try await until { group.count == 0 }
    default: #expect(try !group.tryBroadcast([4]))
    }
    for connection in [client, server] { connection.abort() }
  }
}
