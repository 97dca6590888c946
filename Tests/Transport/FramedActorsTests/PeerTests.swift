import FramedTransport
import Testing
import TransportTestSupport

@testable import FramedActors
@testable import FramedTransport

/// What a system promises of a peer and of the way there: limits, names and errors.
@Suite(.timeLimit(.minutes(1))) struct PeerTests {
  @Test func `a system answers a peer until the peer has ended its side`() async throws {
    try await withPair(.plaintext, .plaintext) { near, far in
      let (nearSystem, farSystem) = (PeerActorSystem(), PeerActorSystem())
      let clerk = Clerk(actorSystem: farSystem)
      try farSystem.offer(clerk, as: "clerk")
      let answering = Task { try await farSystem.answerPeer(over: far) }
      try await nearSystem.withPeer(over: near) { (peer) async throws in
        #expect(peer.connection.id == near.id && peer.system === nearSystem)
        #expect(try await peer.actor(Clerk.self, named: "clerk").greet("Ada", times: 1) == "Ada")
      }
      try await answering.value
      #expect(farSystem.link(far.id) == nil && nearSystem.link(near.id) == nil)
    }
  }

  @Test func `answering a peer whose connection breaks ends with that error`() async throws {
    try await withPair(.plaintext, .plaintext) { near, far in
      let answering = Task { try await PeerActorSystem().answerPeer(over: far) }
      near.abort()
      let error = await #expect(throws: MessagingError.self) { try await answering.value }
      #expect(error?.code == .disconnected)
    }
  }

  @Test func `what a peer was given is forgotten when its connection is done`() async throws {
    try await withPair(.plaintext, .plaintext) { near, _ in
      let system = PeerActorSystem()
      let link = try await system.withPeer(over: near) { (_) async throws in
        let link = try #require(system.link(near.id))
        #expect(link.lend(7) && link.hasLent(7) && !link.hasLent(8))
        return link
      }
      #expect(!link.hasLent(7))
      let call = Invocation(recipient: .name("clerk"), method: "m", arguments: [])
      #expect(await code { try await link.call(call) } == .peerLost)
    }
  }

  @Test func `an actor that is known by its name goes back to its own side`() async throws {
    try await withActors { (pair) async throws in
      let friend = Friend("Bob", actorSystem: pair.server.system)
      try pair.server.system.offer(friend, as: "friend")
      let named = try pair.client.actor(Friend.self, named: "friend")
      #expect(try await pair.clerk.ask(named) == "Bob")
      #expect("\(friend.id)" == "actor 2" && friend.id.connection == nil)
      #expect("\(named.id)" == "actor friend over \(pair.client.connection.id)")
    }
  }

  @Test func `an actor that is gone is not sent`() async throws {
    try await withActors { (pair) async throws in
      let link = try #require(pair.server.system.link(pair.server.connection.id))
      let coding = ValueCoding(system: pair.server.system, link: link)
      let gone = Friend("Ada", actorSystem: pair.server.system).id
      #expect(throws: MessageError.self) { try coding.encode(gone) }
      #expect(try coding.encode(pair.own.id) == Array(#"{"mine":1}"#.utf8) && link.hasLent(1))
    }
  }

  // MARK: - Limits

  @Test func `without a choice the limits are those of the documentation`() {
    let limits = ActorLimits()
    #expect([limits.calls, limits.references, limits.names, limits.depth] == [256, 1024, 1024, 64])
    #expect(limits.callTime == .seconds(30) && limits.requests == .standard && limits == .standard)
  }

  @Test func `the nesting of arguments is that of the limits`() async throws {
    var limits = ActorLimits()
    limits.depth = 4
    try await withActors(server: limits) { (pair) async throws in
      // An object and an array for each level.
      let (flat, deep) = (Tree(branches: [Tree()]), Tree(branches: [Tree(branches: [Tree()])]))
      #expect(try await pair.clerk.tree(flat) == 1)
      #expect(await code { try await pair.clerk.tree(deep) } == .badArguments)
    }
  }

  @Test func `a call is a recipient, a method and its arguments, each of a bounded size`() throws {
    let codec = InvocationCodec()
    let numbered = Invocation(recipient: .number(258), method: "m", arguments: [[0x31], []])
    let body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 2] + [0, 0, 0, 1, 0x6D] + [0, 0, 0, 1, 0x31] + [0, 0, 0, 0]
    #expect(try codec.encode(numbered) == body && codec.decode(body) == numbered)
    let named = Invocation(recipient: .name("é"), method: "", arguments: [])
    #expect(try codec.encode(named) == [1, 0, 0, 0, 2, 0xC3, 0xA9, 0, 0, 0, 0])
    func read(name: Int = 1, method: Int = 1, arguments: Int = 0) throws -> Invocation {
      let call = Invocation(
        recipient: .name(String(repeating: "a", count: name)), method: String(repeating: "m", count: method),
        arguments: [[UInt8]](repeating: [], count: arguments))
      return try codec.decode(codec.encode(call))
    }
    #expect(try read(name: 64).recipient == .name(String(repeating: "a", count: 64)))
    #expect(try read(method: 1024).method.count == 1024 && read(arguments: 64).arguments.count == 64)
    #expect(throws: MessageError.self) { try read(name: 65) }
    #expect(throws: MessageError.self) { try read(method: 1025) }
    #expect(throws: MessageError.self) { try read(arguments: 65) }
    #expect(throws: MessageError.self) { try codec.decode([2] + body.dropFirst()) }
  }

  @Test func `names of actors have up to 64 bytes`() async throws {
    try await withActors { (pair) async throws in
      let (longest, longer) = (String(repeating: "a", count: 64), String(repeating: "a", count: 65))
      try pair.server.system.offer(pair.own, as: longest)
      #expect(try await pair.client.actor(Clerk.self, named: longest).noteCount == 0)
      let error = #expect(throws: ActorCallError.self) { try pair.client.actor(Clerk.self, named: longer) }
      let other = #expect(throws: ActorCallError.self) { try pair.server.system.offer(pair.own, as: longer) }
      #expect(error?.code == .invalidName && other?.code == .invalidName)
    }
  }

  // MARK: - Errors

  @Test(arguments: [
    (RemoteError.Code.noSuchActor, ActorCallError.Code.noSuchActor), (.noSuchMethod, .noSuchMethod),
    (.badArguments, .badArguments), (.unreadable, .badArguments), (.badResult, .badResult), (.tooLarge, .tooLarge),
    (.tooManyReferences, .tooManyReferences), (.busy, .busy), (.cancelled, .cancelled), (.failed, .failed),
    (.unsupported, .unsupported),
  ])
  func `what the other side's system answers is an error of the call`(remote: RemoteError.Code, expected: ActorCallError.Code) {
    let error = MessagingError(.refused, remote: RemoteError(remote, "why"), "It failed: why")
    let converted = ActorCallError.converted(error) as? ActorCallError
    #expect(converted?.code == expected && converted?.messaging == error && converted?.message == "It failed: why")
  }

  @Test func `what goes wrong on the way is an error of the call, and what a method throws is its own`() {
    func code(_ error: MessagingError) -> ActorCallError.Code? {
      let converted = ActorCallError.converted(error) as? ActorCallError
      #expect(converted?.messaging == error)
      return converted?.code
    }
    let tooLarge = MessageError(.tooLarge, expected: "less")
    let invalid = MessageError(.invalidValue, expected: "another")
    #expect(code(MessagingError(.timedOut, "")) == .timedOut && code(MessagingError(.cancelled, "")) == .cancelled)
    #expect(code(MessagingError(.unwritable, messageError: tooLarge, "")) == .tooLarge)
    #expect(code(MessagingError(.unwritable, messageError: invalid, "")) == .unencodable)
    #expect(code(MessagingError(.unreadable, "")) == .badResult && code(MessagingError(.disconnected, "")) == .peerLost)
    let tired = RemoteError("tired", "It is late")
    #expect(ActorCallError.converted(MessagingError(.refused, remote: tired, "")) as? RemoteError == tired)
  }

  @Test func `an error is shown with everything escaped`() {
    #expect("\(ActorCallError(.failed, "a\u{1B}[2J"))" == "a\\u{1B}[2J")
  }

  @Test func `a peer learns of an error only what is meant for it`() {
    struct Trouble: Error {}
    let invalid = PeerInvocationDecoder.Unreadable(error: MessageError(.invalidValue, expected: "a number"))
    #expect(PeerResultHandler.remote(RemoteError("tired", "late")) == RemoteError("tired", "late"))
    #expect(PeerResultHandler.remote(invalid).code == .badArguments)
    #expect(PeerResultHandler.remote(CancellationError()).code == .cancelled)
    #expect(PeerResultHandler.remote(Trouble()) == RemoteError(.failed, "The method has thrown an error"))
  }
}
