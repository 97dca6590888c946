import FramedTransport

/// The arguments of a call to a peer's actor. Used by the compiler's code for distributed methods.
public struct PeerInvocationEncoder: DistributedTargetInvocationEncoder, Sendable {
  /// Arguments and results are `Codable` and `Sendable`.
  public typealias SerializationRequirement = any Codable & Sendable

  /// Encoded when the peer is known, because that decides what an actor's reference is.
  private var arguments: [any Codable & Sendable] = []

  /// Refuses a generic call: a peer is never asked for a type by its name.
  public mutating func recordGenericSubstitution<T>(_ type: T.Type) throws {
    throw ActorCallError(
      .unsupported, "A call failed: generic methods, and methods of generic actors, are not called over the network")
  }

  /// Records an argument.
  public mutating func recordArgument<Value: Codable & Sendable>(_ argument: RemoteCallArgument<Value>) throws {
    arguments.append(argument.value)
  }

  /// Ignores the type of errors: no type is sent.
  public mutating func recordErrorType<E: Error>(_ type: E.Type) throws {}

  /// Ignores the type of the result: no type is sent.
  public mutating func recordReturnType<R: Codable & Sendable>(_ type: R.Type) throws {}

  /// Does nothing.
  public mutating func doneRecording() throws {}

  func encoded(_ coding: ValueCoding) throws(ActorCallError) -> [[UInt8]] {
    guard arguments.count <= InvocationCodec.mostArguments else {
      throw ActorCallError(.unsupported, "A call failed: it has more than \(InvocationCodec.mostArguments) arguments")
    }
    do throws(MessageError) {
      return try arguments.map { (argument) throws(MessageError) in try coding.encode(argument) }
    } catch {
      throw ActorCallError(error.code == .tooLarge ? .tooManyReferences : .unencodable, "A call failed: \(error.message)")
    }
  }
}
