public import Bonjourish
public import FramedTransport

/// An error of connecting to a service.
public struct ServiceConnectionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the kind, such as `unresolved`.
    public let description: String

    /// The service does not resolve to an address: it is gone, or resolving failed.
    public static let unresolved = Code(description: "unresolved")
    /// No connection can be made to the service's addresses.
    public static let unreachable = Code(description: "unreachable")
    /// The service is on another host than before, so no connection was tried; see ``ServiceHost``.
    public static let moved = Code(description: "moved")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  /// The failure behind the error. Later versions may add cases: a `switch` has a `default` or `@unknown default`.
  #if hasAttribute(nonexhaustive)
  @nonexhaustive
  #endif
  public enum Cause: Hashable, Sendable {
    /// The error of resolving the service.
    case discovery(DiscoveryError)
    /// The error of connecting to its addresses.
    case transport(TransportError)
  }

  /// The kind of the error.
  public let code: Code
  /// The service to connect to.
  public let instance: ServiceInstance
  /// The error of resolving or of connecting.
  public let cause: Cause

  init(_ instance: ServiceInstance, _ cause: Cause) {
    code =
      switch cause {
      case .discovery(let error): error.code == .cancelled ? .cancelled : .unresolved
      case .transport(let error): error.code == .cancelled ? .cancelled : .unreachable
      }
    self.instance = instance
    self.cause = cause
  }

  init(_ instance: ServiceInstance, movedFrom former: DomainName?, to host: DomainName) {
    code = .moved
    self.instance = instance
    cause = .transport(
      TransportError(
        .unreachable,
        "It is now offered by another host, \(host), instead of \(former?.description ?? "the first one"). Nothing was sent there; "
          + "if that is right, connect anew"))
  }

  /// The error behind this one: the `DiscoveryError` or `TransportError` of ``cause``.
  public var underlyingError: (any Error)? {
    switch cause {
    case .discovery(let error): error
    case .transport(let error): error
    }
  }

  /// A sentence for people. It may contain text from the network, so display ``description`` instead.
  public var message: String {
    switch cause {
    case .discovery(let error): "\"\(instance.name.text)\" was not found: \(error.message)"
    case .transport(let error): "\"\(instance.name.text)\" was not reached: \(error.message)"
    }
  }

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }
}

extension ServiceConnectionError: TransportErrorConvertible {
  /// A transport error with the code of the cause; `unresolved` or `cancelled` if resolving failed. It is permanent if the cause is.
  public var transportError: TransportError {
    switch cause {
    case .discovery: TransportError(code == .cancelled ? .cancelled : .unresolved, message, because: self)
    case .transport(let error):
      TransportError(
        error.code, errno: error.errno, isPermanent: error.isPermanent, message, details: error.details, because: self)
    }
  }
}
