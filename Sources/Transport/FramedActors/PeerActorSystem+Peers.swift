public import FramedTransport

extension PeerActorSystem {
  /// Calls the actors of the peer at the other end of a connection, and answers its calls, while a closure runs.
  ///
  /// ```swift
  /// let connection = try await Connection.connect(to: instance, using: bonjour)
  /// try await system.withPeer(over: connection) { peer in
  ///   let greeter = try peer.actor(Greeter.self, named: "greeter")
  ///   print(try await greeter.greet("Ada"))
  /// }
  /// ```
  /// When the closure returns or throws, the calls of both sides end, and the connection is closed in order. When the connection breaks
  /// or the peer ends it, calls to its actors fail with ``ActorCallError/Code/peerLost``, those under way too, but the closure goes on:
  /// ``ActorPeer/waitForEnd()`` tells when.
  ///
  /// A peer that has vanished without a word is noticed by a heartbeat: give both sides one, in `TransportLimits`, or in
  /// ``ActorLimits/requests``.
  ///
  /// - Parameters:
  ///   - connection: A connection that nobody else reads. Its format must permit bodies of at least 128 bytes.
  ///   - body: The closure.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func withPeer<Result, Failure: Error>(
    over connection: Connection, _ body: (ActorPeer) async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let link = PeerLink(connection, limits: limits)
    add(link)
    defer { remove(link) }
    return try await connection.withRequests(
      InvocationCodec(), replies: ResultCodec(), limits: limits.requests,
      answering: { invocation, requests in
        // A call may come before the closure has begun, and its method may call back.
        link.open(requests)
        return try await self.answer(invocation, from: link)
      }
    ) { (requests) async throws(Failure) -> Result in
      link.open(requests)
      return try await body(ActorPeer(system: self, requests: requests))
    }
  }

  /// Answers the calls of a peer until it has ended its side.
  ///
  /// - Parameter connection: A connection that nobody else reads.
  /// - Throws: `MessagingError` with code `disconnected` if the connection broke; `brokenRules` if the peer violated the protocol;
  ///   `cancelled`.
  public func answerPeer(over connection: Connection) async throws(MessagingError) {
    try await withPeer(over: connection) { (peer) throws(MessagingError) in try await peer.waitForEnd() }
  }

  /// Runs the method that a peer calls.
  ///
  /// - Throws: A `RemoteError`, which tells the peer why there is no result.
  package func answer(_ invocation: Invocation, from link: PeerLink) async throws(RemoteError) -> [UInt8] {
    guard let number = number(of: invocation.recipient, for: link), let actor = actor(number) else {
      throw RemoteError(.noSuchActor, "There is no \(invocation.recipient) for this peer")
    }
    return try await run(invocation, on: actor, ValueCoding(system: self, link: link))
  }

  private func run<Act: DistributedActor>(
    _ invocation: Invocation, on actor: Act, _ coding: ValueCoding
  ) async throws(RemoteError) -> [UInt8] {
    do throws(TargetName.Flaw) {
      try TargetName.check(invocation.method, of: Act.self)
    } catch {
      throw switch error {
      case .unknown: RemoteError(.noSuchMethod, "\(invocation.recipient) has no such method; both sides need the same version")
      case .generic: RemoteError(.unsupported, "Generic methods are not called over the network")
      }
    }
    let count = Int(_getParameterCount(mangledMethodName: invocation.method))
    guard count == invocation.arguments.count else {
      throw RemoteError(.badArguments, "The method has \(count) parameters, not \(invocation.arguments.count)")
    }
    var decoder = PeerInvocationDecoder(invocation.arguments, coding)
    let handler = PeerResultHandler(coding)
    do {
      try await executeDistributedTarget(
        on: actor, target: RemoteCallTarget(invocation.method), invocationDecoder: &decoder, handler: handler)
    } catch {
      throw PeerResultHandler.remote(error)
    }
    guard let result = handler.result else { throw RemoteError(.failed, "The method was not run") }
    return try result.get()
  }
}
