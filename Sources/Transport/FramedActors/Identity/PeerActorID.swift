public import FramedTransport

/// The identity of a distributed actor: one of this process, or one of a peer at the other end of a connection.
///
/// The identity of a peer's actor is bound to the connection. When it has ended, calls fail with `peerLost`, and nobody else can take
/// the actor's place: over the next connection the peer gives new references.
///
/// As an argument or a result an identity says on which side its actor is. So only actors of the two ends of a connection can be
/// named, and a peer can call only those actors of this side that are offered under a name or that were sent to it.
public struct PeerActorID: Hashable, Sendable, CustomStringConvertible {
  enum Place: Hashable, Sendable {
    case here(UInt64)
    case peer(Connection.ID, ActorKey)
  }

  let place: Place

  /// Whether the actor is at the other end of a connection.
  public var isRemote: Bool { connection != nil }

  /// The connection that leads to the actor; `nil` for an actor of this process.
  public var connection: Connection.ID? {
    guard case .peer(let connection, _) = place else { return nil }
    return connection
  }

  /// The actor's number or name, and the connection of a peer's actor; escaped for display.
  public var description: String {
    switch place {
    case .here(let number): "actor \(number)"
    case .peer(let connection, let key): "\(key) over \(connection)"
    }
  }
}

/// How one side names an actor of the other side.
package enum ActorKey: Hashable, Sendable, CustomStringConvertible {
  case number(UInt64)
  case name(String)

  /// The longest name, in bytes of UTF-8.
  static let longestName = 64

  package var description: String {
    switch self {
    case .number(let number): "actor \(number)"
    case .name(let name): "actor \(name.escapedForDisplay)"
    }
  }
}

extension PeerActorID: Codable {
  /// From the view of the side that sends it.
  private enum Key: String, CodingKey {
    case mine
    case yours
  }

  /// Encodes the identity, for the peer that the call or the result goes to.
  ///
  /// - Throws: `EncodingError` outside of a call, for an actor that is gone, and for one of a third peer; `MessageError` for one more
  ///   reference than are permitted.
  public func encode(to encoder: any Encoder) throws {
    guard let link = encoder.userInfo[.peerLink] as? PeerLink,
      let system = encoder.userInfo[.actorSystemKey] as? PeerActorSystem
    else {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "an actor is encoded in a call or result only"))
    }
    var container = encoder.container(keyedBy: Key.self)
    switch place {
    case .here(let number):
      guard system.actor(number) != nil else {
        throw EncodingError.invalidValue(
          self, .init(codingPath: encoder.codingPath, debugDescription: "the actor is gone"))
      }
      guard link.lend(number) else { throw MessageError(.tooLarge, expected: "at most \(link.limits.references) references") }
      try container.encode(number, forKey: .mine)
    case .peer(link.id, .number(let number)):
      try container.encode(number, forKey: .yours)
    case .peer(link.id, .name(let name)):
      try container.encode(name, forKey: .yours)
    case .peer:
      throw EncodingError.invalidValue(
        self,
        .init(codingPath: encoder.codingPath, debugDescription: "an actor of another peer cannot be reached by this one"))
    }
  }

  /// Decodes an identity that a peer has sent. Safe for any bytes.
  ///
  /// - Throws: `DecodingError` for an actor of this side that the peer was not given.
  public init(from decoder: any Decoder) throws {
    guard let link = decoder.userInfo[.peerLink] as? PeerLink,
      let system = decoder.userInfo[.actorSystemKey] as? PeerActorSystem
    else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "an actor is decoded in a call or result only"))
    }
    let container = try decoder.container(keyedBy: Key.self)
    if let number = try? container.decode(UInt64.self, forKey: .mine) {
      place = .peer(link.id, .number(number))
      return
    }
    let key: ActorKey =
      if let number = try? container.decode(UInt64.self, forKey: .yours) { .number(number) } else {
        .name(try container.decode(String.self, forKey: .yours))
      }
    guard let number = system.number(of: key, for: link) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "there is no such actor"))
    }
    place = .here(number)
  }
}

extension CodingUserInfoKey {
  /// The peer that a call or a result goes to, or comes from.
  static let peerLink = CodingUserInfoKey(rawValue: "FramedActors.peerLink")!
}
