public import FramedTransport

/// An error of calling an actor of a peer, or of naming an actor.
///
/// It conforms to `DistributedActorSystemError`, so it tells apart what went wrong on the way from what the method has thrown.
public struct ActorCallError: DistributedActorSystemError, Hashable, CustomStringConvertible {
  /// The kind of an error of a call; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, such as `peerLost`.
    public let description: String

    /// The connection with the peer has ended. The method may have run.
    public static let peerLost = Code(description: "peerLost")
    /// The actor is gone, or this side was never given a reference to it, or no actor is offered under the name.
    public static let noSuchActor = Code(description: "noSuchActor")
    /// The actor's type has no such distributed method, or another version of it.
    public static let noSuchMethod = Code(description: "noSuchMethod")
    /// The arguments are not those of the method.
    public static let badArguments = Code(description: "badArguments")
    /// The result is not of the type that the method returns.
    public static let badResult = Code(description: "badResult")
    /// An argument cannot be encoded, such as a number that is not finite or an actor of a third peer.
    public static let unencodable = Code(description: "unencodable")
    /// The call or its result is larger than a frame of the connection may be. If it is the result, the method has run.
    public static let tooLarge = Code(description: "tooLarge")
    /// The peer would hold references to more actors than ``ActorLimits/references``.
    public static let tooManyReferences = Code(description: "tooManyReferences")
    /// Too many calls are under way: ``ActorLimits/calls`` on this side, or the limit of the peer.
    public static let busy = Code(description: "busy")
    /// There was no result within ``ActorLimits/callTime``. The method may have run.
    public static let timedOut = Code(description: "timedOut")
    /// The calling task was cancelled. The method may have run.
    public static let cancelled = Code(description: "cancelled")
    /// The method has thrown an error other than a `RemoteError`, whose details are not for the peer.
    public static let failed = Code(description: "failed")
    /// Generic methods, and methods of generic actors, are not called over the network.
    public static let unsupported = Code(description: "unsupported")
    /// Another actor is offered under the name, the name is too long, or there are too many.
    public static let invalidName = Code(description: "invalidName")
  }

  /// The kind of the error.
  public let code: Code

  /// A sentence: what was tried, why it failed, and what to do. It may contain text from the peer.
  public let message: String

  /// The error of the request that carried the call; `nil` if none was sent.
  public let messaging: MessagingError?

  init(_ code: Code, messaging: MessagingError? = nil, _ message: String) {
    self.code = code
    self.message = message
    self.messaging = messaging
  }

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }
}

extension ActorCallError {
  /// Converts the error of a request: a `RemoteError` that the method has thrown stays one.
  static func converted(_ error: MessagingError) -> any Error {
    if let remote = error.remote {
      guard let code = Code(remote.code) else { return remote }
      return ActorCallError(code, messaging: error, error.message)
    }
    let code: Code =
      switch error.code {
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      case .unwritable: error.messageError?.code == .tooLarge ? .tooLarge : .unencodable
      case .unreadable: .badResult
      default: .peerLost
      }
    return ActorCallError(code, messaging: error, error.message)
  }
}

extension ActorCallError.Code {
  /// The codes that the other side's system answers with, and those of requests.
  fileprivate init?(_ code: RemoteError.Code) {
    switch code {
    case .noSuchActor: self = .noSuchActor
    case .noSuchMethod: self = .noSuchMethod
    case .badArguments, .unreadable: self = .badArguments
    case .badResult: self = .badResult
    case .tooLarge: self = .tooLarge
    case .tooManyReferences: self = .tooManyReferences
    case .busy: self = .busy
    case .cancelled: self = .cancelled
    case .failed: self = .failed
    case .unsupported: self = .unsupported
    default: return nil
    }
  }
}

/// What this side's system answers calls with. The codes of methods have no such prefix.
extension RemoteError.Code {
  package static let noSuchActor: Self = "actors/noSuchActor"
  package static let noSuchMethod: Self = "actors/noSuchMethod"
  package static let badArguments: Self = "actors/badArguments"
  package static let badResult: Self = "actors/badResult"
  package static let tooLarge: Self = "actors/tooLarge"
  package static let tooManyReferences: Self = "actors/tooManyReferences"
}
