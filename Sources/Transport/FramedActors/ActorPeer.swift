public import FramedTransport

/// The peer at the other end of a connection, whose actors can be called.
///
/// ``PeerActorSystem/withPeer(over:_:)`` creates it. While that call runs, any number of tasks can use it.
public struct ActorPeer: Sendable {
  /// The actor system of this side.
  public let system: PeerActorSystem

  /// The connection, which the system reads.
  public var connection: Connection { requests.connection }

  let requests: PeerLink.Requests

  /// A reference to the actor that the peer offers under a name.
  ///
  /// Nothing is sent. If the peer offers no such actor, or one of another type, calls fail with `noSuchActor` or `noSuchMethod`.
  ///
  /// - Parameters:
  ///   - type: The type of the actor.
  ///   - name: The name, 1–64 bytes of UTF-8.
  /// - Throws: ``ActorCallError`` with code `invalidName` for an empty name or one that is too long.
  public func actor<Act: DistributedActor>(_ type: Act.Type, named name: String) throws(ActorCallError) -> Act
  where Act.ActorSystem == PeerActorSystem {
    guard (1...ActorKey.longestName).contains(name.utf8.count) else {
      throw ActorCallError(.invalidName, "A name of an actor must have 1 to \(ActorKey.longestName) bytes")
    }
    let id = PeerActorID(place: .peer(connection.id, .name(name)))
    do {
      return try Act.resolve(id: id, using: system)
    } catch {
      throw ActorCallError(.noSuchActor, "\(id) cannot be referred to: \(error)")
    }
  }

  /// Waits until the peer has ended its side, or the connection has ended for another reason.
  ///
  /// - Throws: `MessagingError` with code `disconnected` if the connection broke; `brokenRules` if the peer violated the protocol;
  ///   `cancelled`.
  public func waitForEnd() async throws(MessagingError) {
    try await requests.waitForEnd()
  }
}
