import FramedTransport
import Testing
import TransportTestSupport

@testable import FramedActors

/// Two actor systems at the two ends of a connection over the loopback interface.
struct Pair {
  let client: ActorPeer
  let server: ActorPeer
  /// An actor of the server's side, as the server has it, and as the client refers to it.
  let own: Clerk
  let clerk: Clerk
}

/// Runs a closure with a pair of systems, of which the server's offers a clerk.
func withActors(
  client: ActorLimits = .standard, server: ActorLimits = .standard, format: FrameFormat = .standard, gate: Gate = Gate(),
  _ body: @Sendable (Pair) async throws -> Void
) async throws {
  try await withPair(.plaintext, .plaintext, format: format) { near, far in
    let (nearSystem, farSystem) = (PeerActorSystem(limits: client), PeerActorSystem(limits: server))
    let own = Clerk(gate, actorSystem: farSystem)
    try farSystem.offer(own, as: "clerk")
    try await farSystem.withPeer(over: far) { server in
      try await nearSystem.withPeer(over: near) { client in
        let clerk = try client.actor(Clerk.self, named: "clerk")
        try await body(Pair(client: client, server: server, own: own, clerk: clerk))
      }
    }
  }
}

/// Runs a closure with a system that offers a clerk, and a peer that sends it what it likes.
func withStranger<Codec: MessageCodec>(
  _ codec: Codec, server: ActorLimits = .standard,
  _ body: @Sendable (RequestConnection<Codec, ResultCodec>, Clerk) async throws -> Void
) async throws {
  try await withPair(.plaintext, .plaintext) { near, far in
    let system = PeerActorSystem(limits: server)
    let clerk = Clerk(actorSystem: system)
    try system.offer(clerk, as: "clerk")
    try await system.withPeer(over: far) { _ in
      try await near.withRequests(codec, replies: ResultCodec()) { stranger in try await body(stranger, clerk) }
    }
  }
}

/// The code of the error that a call ends with.
func code(of call: () async throws -> some Any) async -> ActorCallError.Code? {
  do {
    _ = try await call()
    return nil
  } catch {
    return (error as? ActorCallError)?.code
  }
}

/// The code with which a system refuses what a stranger sends.
func refusal(of request: () async throws -> some Any) async -> RemoteError.Code? {
  do {
    _ = try await request()
    return nil
  } catch {
    return (error as? MessagingError)?.remote?.code
  }
}

/// The calls that a closure makes of a clerk, as they are sent. Each is answered with nothing.
func sent(by calls: @Sendable (Clerk, PeerActorSystem) async throws -> Void) async throws -> [Invocation] {
  try await withPair(.plaintext, .plaintext) { near, far in
    let calls = calls
    let recorder = Recorder()
    try await far.withRequests(
      InvocationCodec(), replies: ResultCodec(),
      answering: { invocation, _ in
        await recorder.add(invocation)
        return []
      }
    ) { _ in
      let system = PeerActorSystem()
      try await system.withPeer(over: near) { (peer) async throws in
        try await calls(try peer.actor(Clerk.self, named: "clerk"), system)
      }
    }
    return await recorder.invocations
  }
}

private actor Recorder {
  private(set) var invocations: [Invocation] = []

  func add(_ invocation: Invocation) { invocations.append(invocation) }
}
