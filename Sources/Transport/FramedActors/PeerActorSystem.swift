import FramedTransport
import _BonjourishEventLoop

/// A system of distributed actors that call each other over connections.
///
/// ```swift
/// typealias DefaultDistributedActorSystem = PeerActorSystem
///
/// distributed actor Greeter {
///   distributed func greet(_ name: String) -> String { "Hello, \(name)" }
/// }
///
/// let system = PeerActorSystem()
/// let greeter = Greeter(actorSystem: system)
/// try system.offer(greeter, as: "greeter")
/// ```
/// A peer reaches the actors that are offered under a name, and those that were sent to it as arguments or results. It can call their
/// `distributed` methods, and nothing else. Arguments and results are `Codable` and `Sendable`; they may contain actors of the two
/// ends of a connection.
///
/// The system keeps no actor alive: keep those that peers shall reach. Both programs must be built from the same declaration of an
/// actor, in a module of the same name; a changed method is another method. Private actor types, generic ones and generic methods are
/// not called over the network, nor are methods through a `@Resolvable` protocol.
///
/// An error that a method throws reaches the caller if it is a `RemoteError`; of another one the caller learns only that the method has
/// failed. What goes wrong on the way is an ``ActorCallError``.
public final class PeerActorSystem: DistributedActorSystem {
  /// The identity of an actor.
  public typealias ActorID = PeerActorID
  /// The recorder of a call's arguments.
  public typealias InvocationEncoder = PeerInvocationEncoder
  /// The reader of a call's arguments.
  public typealias InvocationDecoder = PeerInvocationDecoder
  /// The recorder of a call's result.
  public typealias ResultHandler = PeerResultHandler
  /// Arguments and results are `Codable` and `Sendable`.
  public typealias SerializationRequirement = any Codable & Sendable

  private struct WeakActor {
    weak var actor: (any DistributedActor)?
  }

  private struct Registry {
    var lastNumber: UInt64 = 0
    var actors: [UInt64: WeakActor] = [:]
    var names: [String: UInt64] = [:]
    var links: [Connection.ID: PeerLink] = [:]
  }

  /// The limits for each peer.
  public let limits: ActorLimits
  private let registry = Locked(Registry())

  /// Creates a system.
  ///
  /// - Parameter limits: The limits for each peer. The system's requirements of its values are checked here.
  public init(limits: ActorLimits = .standard) {
    precondition(limits.calls > 0, "limits.calls must be at least 1")
    precondition(limits.references >= 0 && limits.names >= 0, "limits.references and limits.names must not be negative")
    precondition((1...256).contains(limits.depth), "limits.depth must be 1 to 256, not \(limits.depth)")
    self.limits = limits
  }

  // MARK: - Names

  /// Offers an actor of this process to all peers under a name, until the actor is gone or the name is withdrawn.
  ///
  /// - Parameters:
  ///   - actor: The actor, which the system does not keep alive.
  ///   - name: The name, 1–64 bytes of UTF-8.
  /// - Throws: ``ActorCallError`` with code `invalidName` if another actor has the name, the name is too long, or there are too many;
  ///   `noSuchActor` for an actor of a peer.
  public func offer<Act: DistributedActor>(_ actor: Act, as name: String) throws(ActorCallError) where Act.ID == PeerActorID {
    guard (1...ActorKey.longestName).contains(name.utf8.count) else {
      throw ActorCallError(.invalidName, "An actor cannot be offered: its name must have 1 to \(ActorKey.longestName) bytes")
    }
    guard case .here(let number) = actor.id.place else {
      throw ActorCallError(.noSuchActor, "\(actor.id) cannot be offered as \(name): it is an actor of a peer")
    }
    try registry.withLock { (registry) throws(ActorCallError) in
      guard registry.actors[number] != nil else {
        throw ActorCallError(.noSuchActor, "\(actor.id) cannot be offered as \(name): it is of another actor system")
      }
      guard registry.names[name] ?? number == number else {
        throw ActorCallError(.invalidName, "\(actor.id) cannot be offered as \(name): another actor is; withdraw that first")
      }
      guard registry.names[name] != nil || registry.names.count < limits.names else {
        throw ActorCallError(.invalidName, "\(actor.id) cannot be offered as \(name): \(limits.names) names are permitted")
      }
      registry.names[name] = number
    }
  }

  /// Withdraws a name. Peers that were sent the actor, or its identity, can still call it.
  public func withdraw(_ name: String) {
    registry.withLock { _ = $0.names.removeValue(forKey: name) }
  }

  // MARK: - Peers

  func add(_ link: PeerLink) {
    let isNew = registry.withLock { $0.links.updateValue(link, forKey: link.id) == nil }
    precondition(isNew, "connection must not be used by this actor system already")
  }

  func remove(_ link: PeerLink) {
    link.close()
    registry.withLock { _ = $0.links.removeValue(forKey: link.id) }
  }

  func link(_ id: Connection.ID) -> PeerLink? {
    registry.withLock { $0.links[id] }
  }

  // MARK: - Actors of this process

  /// The actor with a number, if it still lives.
  func actor(_ number: UInt64) -> (any DistributedActor)? {
    registry.withLock { $0.actors[number]?.actor }
  }

  /// The number of an actor of this process that a peer names, if the peer may call it.
  func number(of key: ActorKey, for link: PeerLink) -> UInt64? {
    switch key {
    case .number(let number): link.hasLent(number) ? number : nil
    case .name(let name): registry.withLock { $0.names[name] }
    }
  }

  /// Finds an actor of this process; `nil` stands for one of a peer. Used by `resolve(id:using:)` of actors.
  ///
  /// - Throws: ``ActorCallError`` with code `noSuchActor` if the actor is gone, or of another type.
  public func resolve<Act: DistributedActor>(id: PeerActorID, as actorType: Act.Type) throws -> Act?
  where Act.ID == PeerActorID {
    guard case .here(let number) = id.place else { return nil }
    guard let actor = actor(number) as? Act else {
      throw ActorCallError(.noSuchActor, "\(id) is gone, or not a \(Act.self)")
    }
    return actor
  }

  /// Assigns an identity to a new actor. Used by the initializers of actors.
  public func assignID<Act: DistributedActor>(_ actorType: Act.Type) -> PeerActorID where Act.ID == PeerActorID {
    registry.withLock { registry in
      registry.lastNumber += 1
      return PeerActorID(place: .here(registry.lastNumber))
    }
  }

  /// Makes an actor known. Used by the initializers of actors.
  public func actorReady<Act: DistributedActor>(_ actor: Act) where Act.ID == PeerActorID {
    guard case .here(let number) = actor.id.place else { return }
    registry.withLock { $0.actors[number] = WeakActor(actor: actor) }
  }

  /// Forgets an actor that is gone. Used by the deinitializers of actors.
  public func resignID(_ id: PeerActorID) {
    guard case .here(let number) = id.place else { return }
    let links = registry.withLock { registry in
      guard registry.actors.removeValue(forKey: number) != nil else { return [PeerLink]() }
      registry.names = registry.names.filter { $0.value != number }
      return Array(registry.links.values)
    }
    for link in links { link.forget(number) }
  }

  // MARK: - Calls

  /// Makes an empty recorder of arguments. Used by the compiler's code for distributed methods.
  public func makeInvocationEncoder() -> PeerInvocationEncoder { PeerInvocationEncoder() }

  /// Calls a method that returns a value. Used by the compiler's code for distributed methods.
  ///
  /// - Throws: ``ActorCallError``, or the `RemoteError` that the method has thrown.
  public func remoteCall<Act: DistributedActor, Err: Error, Res: Codable & Sendable>(
    on actor: Act, target: RemoteCallTarget, invocation: inout PeerInvocationEncoder, throwing: Err.Type, returning: Res.Type
  ) async throws -> Res where Act.ID == PeerActorID {
    let (result, coding) = try await call(actor.id, target, invocation)
    do throws(MessageError) {
      return try coding.decode(Res.self, from: result)
    } catch {
      throw ActorCallError(.badResult, "The result of a call to \(actor.id) is not a \(Res.self): \(error.message)")
    }
  }

  /// Calls a method that returns nothing. Used by the compiler's code for distributed methods.
  ///
  /// - Throws: ``ActorCallError``, or the `RemoteError` that the method has thrown.
  public func remoteCallVoid<Act: DistributedActor, Err: Error>(
    on actor: Act, target: RemoteCallTarget, invocation: inout PeerInvocationEncoder, throwing: Err.Type
  ) async throws where Act.ID == PeerActorID {
    let (result, _) = try await call(actor.id, target, invocation)
    guard result.isEmpty else {
      throw ActorCallError(.badResult, "A call to \(actor.id) has a result, and should have none")
    }
  }

  private func call(
    _ id: PeerActorID, _ target: RemoteCallTarget, _ encoder: PeerInvocationEncoder
  ) async throws -> ([UInt8], ValueCoding) {
    guard case .peer(let connection, let key) = id.place, let link = link(connection) else {
      throw ActorCallError(.peerLost, "A call to \(id) failed: the connection has ended; connect again, and ask for the actor")
    }
    let coding = ValueCoding(system: self, link: link)
    let invocation = Invocation(recipient: key, method: target.identifier, arguments: try encoder.encoded(coding))
    return (try await link.call(invocation), coding)
  }
}
