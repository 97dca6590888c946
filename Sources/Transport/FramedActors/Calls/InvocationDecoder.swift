import FramedTransport

/// The arguments of a call by a peer. Used by the compiler's code for distributed methods.
public struct PeerInvocationDecoder: DistributedTargetInvocationDecoder {
  /// Arguments and results are `Codable` and `Sendable`.
  public typealias SerializationRequirement = any Codable & Sendable

  /// An argument is not of its parameter's type.
  struct Unreadable: Error {
    let error: MessageError
  }

  private var arguments: ArraySlice<[UInt8]>
  private let coding: ValueCoding

  init(_ arguments: [[UInt8]], _ coding: ValueCoding) {
    self.arguments = arguments[...]
    self.coding = coding
  }

  /// Returns no types: a peer names none.
  public mutating func decodeGenericSubstitutions() throws -> [any Any.Type] { [] }

  /// Decodes the next argument as the type of its parameter.
  public mutating func decodeNextArgument<Argument: Codable & Sendable>() throws -> Argument {
    guard let argument = arguments.popFirst() else {
      throw Unreadable(error: MessageError(.truncated, expected: "one more argument"))
    }
    do throws(MessageError) {
      return try coding.decode(Argument.self, from: argument)
    } catch {
      throw Unreadable(error: error)
    }
  }

  /// Returns no type: a peer names none.
  public mutating func decodeErrorType() throws -> (any Any.Type)? { nil }

  /// Returns no type: a peer names none.
  public mutating func decodeReturnType() throws -> (any Any.Type)? { nil }
}
