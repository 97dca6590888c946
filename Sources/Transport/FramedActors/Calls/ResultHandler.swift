import FramedTransport
import _BonjourishEventLoop

/// The result of a call by a peer. Used by the compiler's code for distributed methods.
public struct PeerResultHandler: DistributedTargetInvocationResultHandler, Sendable {
  /// Arguments and results are `Codable` and `Sendable`.
  public typealias SerializationRequirement = any Codable & Sendable

  private final class Box: Sendable {
    let result = Locked<Result<[UInt8], RemoteError>?>(nil)
  }

  private let coding: ValueCoding
  private let box = Box()

  init(_ coding: ValueCoding) {
    self.coding = coding
  }

  /// Encodes what the method has returned.
  public func onReturn<Success: Codable & Sendable>(value: Success) async throws {
    set(encoded(value))
  }

  /// Notes that the method has returned.
  public func onReturnVoid() async throws {
    set(.success([]))
  }

  /// Notes what the method has thrown, or that an argument could not be decoded.
  public func onThrow<Err: Error>(error: Err) async throws {
    set(.failure(Self.remote(error)))
  }

  /// The result; `nil` if the method did not run.
  var result: Result<[UInt8], RemoteError>? { box.result.withLock { $0 } }

  private func set(_ result: Result<[UInt8], RemoteError>) {
    box.result.withLock { $0 = result }
  }

  private func encoded<Value: Codable & Sendable>(_ value: Value) -> Result<[UInt8], RemoteError> {
    do throws(MessageError) {
      let bytes = try coding.encode(value)
      guard bytes.count <= coding.link.largestResult else {
        return .failure(
          RemoteError(.tooLarge, "The result has \(bytes.count) bytes; at most \(coding.link.largestResult) are permitted"))
      }
      return .success(bytes)
    } catch {
      return .failure(
        error.code == .tooLarge
          ? RemoteError(.tooManyReferences, "The result would be one reference too many; let go of some")
          : RemoteError(.badResult, "The result cannot be encoded"))
    }
  }

  /// What the peer learns of an error: of one that the method has thrown nothing, unless it is meant for the peer.
  static func remote(_ error: any Error) -> RemoteError {
    switch error {
    case let error as RemoteError:
      error
    case let error as PeerInvocationDecoder.Unreadable:
      RemoteError(.badArguments, error.error.message)
    case is CancellationError:
      RemoteError(.cancelled, "The call was cancelled")
    default:
      RemoteError(.failed, "The method has thrown an error")
    }
  }
}
