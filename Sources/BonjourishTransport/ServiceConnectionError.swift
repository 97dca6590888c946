public import Bonjourish
public import FramedTransport

/// Why there is no connection with a service.
public struct ServiceConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nobody says where the service is: it has gone, or cannot be looked up.
    public static let unresolved = Code(description: "unresolved")
    /// Nobody accepts a connection where the service is said to be.
    public static let unreachable = Code(description: "unreachable")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// Which half of the way it was that failed.
  public enum Cause: Hashable, Sendable {
    /// Looking the service up.
    case discovery(DiscoveryError)
    /// Connecting to where it is said to be.
    case transport(TransportError)
  }

  public let code: Code
  /// The service that was to be connected with.
  public let instance: ServiceInstance
  /// What failed, and why.
  public let cause: Cause

  init(_ instance: ServiceInstance, unresolved error: DiscoveryError) {
    code = error.code == .cancelled ? .cancelled : .unresolved
    self.instance = instance
    cause = .discovery(error)
  }

  init(_ instance: ServiceInstance, unreachable error: TransportError) {
    code = error.code == .cancelled ? .cancelled : .unreachable
    self.instance = instance
    cause = .transport(error)
  }

  /// A sentence for a person, with everything escaped in the service's name that could do harm.
  public var description: String {
    let reason =
      switch cause {
      case .discovery(let error): error.description
      case .transport(let error): error.description
      }
    return "Connecting to \"\(instance.name)\" failed: \(reason)"
  }
}
