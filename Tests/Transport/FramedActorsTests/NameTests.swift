import FramedJSON
import FramedTransport
import Testing
import TransportTestSupport

@testable import FramedActors

@Suite(.timeLimit(.minutes(1))) struct NameTests {
  @Test func `a name that nobody has is an unknown actor`() async throws {
    try await withActors { (pair) async throws in
      let nobody = try pair.client.actor(Clerk.self, named: "nobody")
      #expect(await code { try await nobody.all() } == .noSuchActor)
      let other = try pair.client.actor(Friend.self, named: "clerk")
      #expect(await code { try await other.name() } == .noSuchMethod)
      #expect(throws: ActorCallError.self) { try pair.client.actor(Clerk.self, named: "") }
      #expect(throws: ActorCallError.self) { try pair.client.actor(Clerk.self, named: String(repeating: "a", count: 65)) }
    }
  }

  @Test func `a name ends with the actor, or when it is withdrawn`() async throws {
    try await withActors { (pair) async throws in
      let system = pair.server.system
      var second: Clerk? = Clerk(actorSystem: system)
      try system.offer(#require(second), as: "second")
      let reference = try pair.client.actor(Clerk.self, named: "second")
      #expect(try await reference.noteCount == 0)
      #expect(throws: ActorCallError.self) { try system.offer(pair.own, as: "second") }
      second = nil
      #expect(await code { try await reference.noteCount } == .noSuchActor)
      try system.offer(pair.own, as: "second")
      #expect(try await reference.noteCount == 0)
      system.withdraw("second")
      #expect(await code { try await reference.noteCount } == .noSuchActor)
    }
  }

  @Test func `names are bounded, and of own actors only`() async throws {
    var limits = ActorLimits()
    limits.names = 1
    let system = PeerActorSystem(limits: limits)
    let clerk = Clerk(actorSystem: system)
    try system.offer(clerk, as: "one")
    try system.offer(clerk, as: "one")
    #expect(throws: ActorCallError.self) { try system.offer(clerk, as: "two") }
    let names = ["", String(repeating: "a", count: 65)]
    for name in names { #expect(throws: ActorCallError.self) { try system.offer(clerk, as: name) } }
    system.withdraw("one")
    try system.offer(clerk, as: String(repeating: "ü", count: 32))
    #expect(throws: ActorCallError.self) { try PeerActorSystem().offer(clerk, as: "one") }
    try await withActors { (pair) async throws in
      #expect(throws: ActorCallError.self) { try pair.client.system.offer(pair.clerk, as: "clerk") }
    }
  }

  @Test func `the references of a peer are bounded, and those of actors that are gone are free again`() async throws {
    var limits = ActorLimits()
    limits.references = 1
    try await withActors(client: limits, server: limits) { (pair) async throws in
      let system = pair.client.system
      var first: Friend? = Friend("Ada", actorSystem: system)
      let second = Friend("Bob", actorSystem: system)
      #expect(try await pair.clerk.ask(#require(first)) == "Ada")
      #expect(try await pair.clerk.ask(#require(first)) == "Ada")
      #expect(await code { try await pair.clerk.ask(second) } == .tooManyReferences)
      first = nil
      #expect(try await pair.clerk.ask(second) == "Bob")
      _ = try await pair.clerk.lead()
      #expect(await code { try await pair.clerk.lead() } == .tooManyReferences)
    }
  }

  @Test func `an actor of one peer is not sent to another`() async throws {
    try await withActors { (first) async throws in
      let bob = try await first.clerk.lead()
      try await withPair(.plaintext, .plaintext) { near, far in
        let system = PeerActorSystem()
        let clerk = Clerk(actorSystem: system)
        try system.offer(clerk, as: "clerk")
        try await system.withPeer(over: far) { _ in
          try await first.client.system.withPeer(over: near) { (peer) async throws in
            let other = try peer.actor(Clerk.self, named: "clerk")
            #expect(await code { try await other.ask(bob) } == .unencodable)
            #expect(try await other.all() == [])
          }
        }
      }
    }
  }

  @Test func `an identity is encoded in a call only`() throws {
    let system = PeerActorSystem()
    let clerk = Clerk(actorSystem: system)
    #expect(throws: (any Error).self) { try JSONCodec<PeerActorID>().encode(clerk.id) }
    #expect(throws: (any Error).self) { try JSONCodec<PeerActorID>().decode(Array(#"{"mine":1}"#.utf8)) }
    #expect(try Clerk.resolve(id: clerk.id, using: system) == clerk)
    #expect(throws: ActorCallError.self) { try Friend.resolve(id: clerk.id, using: system) }
  }
}
