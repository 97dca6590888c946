import FramedTransport
import Testing
import TransportTestSupport

@testable import FramedActors

@Suite(.timeLimit(.minutes(1))) struct CallTests {
  @Test func `a call brings arguments there and the result back`() async throws {
    try await withActors { (pair) async throws in
      #expect(try await pair.clerk.greet("Ada", times: 2) == "Ada Ada")
      try await pair.clerk.note("ü\u{0}\"")
      try await pair.clerk.note("")
      #expect(try await pair.clerk.all() == ["ü\u{0}\"", ""])
      #expect(try await pair.clerk.noteCount == 2)
      #expect(try await pair.clerk.fromExtension() == "extension")
      #expect(pair.clerk.id.isRemote && pair.clerk.id.connection == pair.client.connection.id)
      #expect(!pair.own.id.isRemote)
    }
  }

  @Test func `only an error that is meant for the peer reaches it`() async throws {
    try await withActors { (pair) async throws in
      let error = await #expect(throws: RemoteError.self) { try await pair.clerk.refuse() }
      #expect(error == RemoteError("tired", "It is late"))
      let failure = await #expect(throws: ActorCallError.self) { try await pair.clerk.fail() }
      #expect(failure?.code == .failed)
      #expect(failure?.message.contains("Secret") == false)
    }
  }

  @Test func `an actor that is sent as an argument is called back`() async throws {
    try await withActors { (pair) async throws in
      let friend = Friend("Ada", actorSystem: pair.client.system)
      #expect(try await pair.clerk.ask(friend) == "Ada")
    }
  }

  @Test func `an actor that comes as a result is the same when it goes back`() async throws {
    try await withActors { (pair) async throws in
      let bob = try await pair.clerk.lead()
      #expect(try await bob.name() == "Bob")
      #expect(try await pair.clerk.isOwn(bob))
      #expect(try await pair.clerk.lead() != bob)
      // Gone with the clerk's last reference to it.
      try await pair.clerk.dismiss()
      #expect(await code { try await bob.name() } == .noSuchActor)
      #expect(await code { try await pair.clerk.isOwn(bob) } == .badArguments)
    }
  }

  @Test func `a peer that only answers is not let in by itself, but by its first answer or by the app`() async throws {
    for isAdmitted in [false, true] {
      try await withListener(pending: PendingConnectionLimits(timeLimit: .seconds(3600))) { listener in
        let near = try await listener.reach(.plaintext)
        let far = try await listener.accept()
        let (nearSystem, farSystem) = (PeerActorSystem(), PeerActorSystem())
        let clerk = Clerk(actorSystem: nearSystem)
        try nearSystem.offer(clerk, as: "clerk")
        try await nearSystem.withPeer(over: near) { _ in
          if isAdmitted { far.admit() }
          try await farSystem.withPeer(over: far) { (peer) async throws in
            #expect(listener.metrics.pending == (isAdmitted ? 0 : 1))
            #expect(try await peer.actor(Clerk.self, named: "clerk").noteCount == 0)
            #expect(listener.metrics.pending == 0)
          }
        }
      }
    }
  }

  @Test func `a call under way ends with an error when the peer dies`() async throws {
    let gate = Gate()
    try await withActors(gate: gate) { (pair) async throws in
      async let error = code { try await pair.clerk.wait() }
      try await until { gate.entered == 1 }
      pair.server.connection.abort()
      #expect(await error == .peerLost)
      await #expect(throws: MessagingError.self) { try await pair.client.waitForEnd() }
      #expect(await code { try await pair.clerk.greet("Ada", times: 1) } == .peerLost)
      gate.open()
    }
  }

  @Test func `a method that works for a lost peer is cancelled`() async throws {
    let gate = Gate()
    try await withActors(gate: gate) { (pair) async throws in
      async let error = code { try await pair.clerk.wait() }
      try await until { gate.entered == 1 }
      pair.client.connection.abort()
      #expect(await error == .peerLost)
      try await until { gate.cancelled == 1 }
    }
  }

  @Test func `what was learned over a connection ends with it`() async throws {
    let system = PeerActorSystem()
    let lost = try await withPair(.plaintext, .plaintext) { near, _ in
      try await system.withPeer(over: near) { try $0.actor(Clerk.self, named: "clerk") }
    }
    #expect(await code { try await lost.all() } == .peerLost)
    try await withActors { (pair) async throws in
      #expect(await code { try await pair.clerk.ask(Friend.resolve(id: lost.id, using: pair.client.system)) } == .unencodable)
    }
  }

  @Test func `a cancelled call stops the method`() async throws {
    let gate = Gate()
    try await withActors(gate: gate) { (pair) async throws in
      let call = Task { await code { try await pair.clerk.wait() } }
      try await until { gate.entered == 1 }
      call.cancel()
      #expect(await call.value == .cancelled)
      try await until { gate.cancelled == 1 }
    }
  }

  @Test func `a call that may take no time is over`() async throws {
    var limits = ActorLimits()
    limits.callTime = .zero
    try await withActors(client: limits) { (pair) async throws in
      #expect(await code { try await pair.clerk.all() } == .timedOut)
    }
  }

  @Test func `the calls under way are bounded on both sides`() async throws {
    let gate = Gate()
    var limits = ActorLimits()
    limits.calls = 2
    try await withActors(client: limits, gate: gate) { (pair) async throws in
      async let first = code { try await pair.clerk.wait() }
      async let second = code { try await pair.clerk.wait() }
      try await until { gate.entered == 2 }
      #expect(await code { try await pair.clerk.all() } == .busy)
      gate.open()
      #expect(await [first, second] == [nil, nil])
      #expect(try await pair.clerk.all() == [])
    }
    let other = Gate()
    limits = ActorLimits()
    limits.requests = RequestLimits(answered: 1)
    try await withActors(server: limits, gate: other) { (pair) async throws in
      async let first = code { try await pair.clerk.wait() }
      try await until { other.entered == 1 }
      #expect(await code { try await pair.clerk.all() } == .busy)
      other.open()
      #expect(await first == nil)
    }
  }

  @Test func `what is larger than a frame is an error of its own`() async throws {
    try await withActors(format: FrameFormat(maximumBodySize: 1024)) { (pair) async throws in
      #expect(try await pair.clerk.text(of: 1000).utf8.count == 1000)
      // With its quotes, and the nine bytes of a reply.
      #expect(try await pair.clerk.text(of: 1013).utf8.count == 1013)
      #expect(await code { try await pair.clerk.text(of: 1014) } == .tooLarge)
      #expect(await code { try await pair.clerk.note(String(repeating: "a", count: 1024)) } == .tooLarge)
      #expect(try await pair.clerk.all() == [])
    }
  }

  @Test func `what JSON does not have is an error of its own`() async throws {
    try await withActors { (pair) async throws in
      #expect(await code { try await pair.clerk.ratio() } == .badResult)
      #expect(await code { try await pair.clerk.echo(1) } == .unsupported)
      var tree = Tree()
      for _ in 0..<40 { tree = Tree(branches: [tree]) }
      #expect(await code { try await pair.clerk.tree(tree) } == .badArguments)
    }
  }
}
