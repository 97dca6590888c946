import CBonjourishLinux
import FramedCoding
package import _BonjourishEventLoop

/// An error of a connection, a listener or an attempt to connect.
public struct TransportError: Error, Hashable, Sendable {
  /// The kind of a transport error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// Why trying again cannot help.
    package enum Permanence: Hashable, Sendable {
      /// The peer has decided.
      case refusal
      /// It is another peer than the right one, and a person must decide what follows.
      case otherPeer
      /// It is another peer than the right one, or a device between, and anybody on the network can cause that: ``Reconnections`` try again for
      /// a while.
      case anybody
      /// This side cannot do its part, whoever the peer is.
      case ownFault
    }

    /// The code's name, such as `refused`.
    public let description: String

    /// Why an error of this kind is permanent; `nil` if it is not.
    package let permanence: Permanence?

    /// Whether somebody else seems to have answered than the right peer, which may be at another address.
    package let isOfOtherPeer: Bool

    /// Makes a kind of error of another module of the package.
    package init(description: String, permanence: Permanence? = nil, isOfOtherPeer: Bool = false) {
      self.description = description
      self.permanence = permanence
      self.isOfOtherPeer = isOfOtherPeer || permanence == .otherPeer || permanence == .anybody
    }

    /// Nothing listens at the address.
    public static let refused = Code(description: "refused")
    /// There was no answer within the time allowed.
    public static let timedOut = Code(description: "timedOut")
    /// There is no route to the address, or there is no address.
    public static let unreachable = Code(description: "unreachable")
    /// The peer, or a device between, broke the connection.
    public static let reset = Code(description: "reset")
    /// This side has closed the connection or listener.
    public static let closed = Code(description: "closed")
    /// A frame that was received or is to be sent is larger than the format permits.
    public static let frameTooLarge = Code(description: "frameTooLarge")
    /// The received bytes are not a frame of the format.
    public static let malformedFrame = Code(description: "malformedFrame")
    /// The connection ended inside a frame.
    public static let truncated = Code(description: "truncated")
    /// The pending connection was not admitted in time: no frame came, or the app did not admit it.
    public static let helloTimedOut = Code(description: "helloTimedOut")
    /// The connection, while pending, had to make room for a new one.
    public static let displaced = Code(description: "displaced")
    /// The peer began a frame and did not end it in time.
    public static let frameTimedOut = Code(description: "frameTimedOut")
    /// The peer did not accept in time what was sent.
    public static let sendTimedOut = Code(description: "sendTimedOut")
    /// The peer read its group's broadcasts too slowly.
    public static let lagging = Code(description: "lagging")
    /// The waiting task was cancelled.
    public static let cancelled = Code(description: "cancelled")
    /// Another program or listener uses the port.
    public static let addressInUse = Code(description: "addressInUse")
    /// The address has no valid form, because it is too long, for example.
    public static let invalidAddress = Code(description: "invalidAddress")
    /// The address does not belong to this machine, or the interface has no address.
    public static let unavailable = Code(description: "unavailable")
    /// An inherited socket does not listen, or does not exist.
    public static let unusableSocket = Code(description: "unusableSocket")
    /// There were too many attempts at the address, which was found by its name; see ``Reconnections``.
    public static let throttled = Code(description: "throttled")
    /// The service is known by name only, and did not resolve to an address.
    public static let unresolved = Code(description: "unresolved")
    /// The host name is unknown.
    public static let nameNotFound = Code(description: "nameNotFound")
    /// The system does not allow it.
    public static let notPermitted = Code(description: "notPermitted")
    /// The process or the machine is out of descriptors or memory.
    public static let outOfResources = Code(description: "outOfResources")
    /// Another failure of a system call; see `errno`.
    public static let system = Code(description: "system")
  }

  /// The kind of the error.
  public let code: Code

  /// The system's error number, if a system call failed.
  public let errno: CInt?

  /// A sentence: what was tried, on what, why it failed, and what to do.
  public let message: String

  /// Whether trying again cannot help until somebody does something: the peer refuses this side, or is not the right one, or this side has
  /// no key that it can show.
  ///
  /// ``Reconnections`` ends with such an error. `wrongPasscode` and `wrongKey` of the module FramedSecurity are permanent; ``Code/refused``
  /// is not, because a server that restarts refuses connections for a moment. `passcodeNotAsked` and `untrustedCertificate` are not at
  /// first, because anybody on the network can cause them: ``Reconnections`` makes the tenth in a row permanent.
  public let isPermanent: Bool

  /// Values for the module that made the error; empty for most errors.
  package let details: [String]

  private let cause: Underlying

  /// The error behind this one, such as what the closure of ``Reconnections`` has thrown, or that of discovery; `nil` if there is none.
  /// ``message`` tells it, too. It counts for nothing when errors are compared.
  public var underlyingError: (any Error)? { cause.error }

  /// Creates an error, for programs that find or reach peers in another way.
  ///
  /// - Parameters:
  ///   - code: The kind of the error.
  ///   - errno: The system's error number, if a system call failed.
  ///   - isPermanent: Whether trying again cannot help; `nil` to let the code decide.
  ///   - message: What was tried, on what, why it failed, and what to do.
  ///   - underlyingError: The error behind this one; `nil` for none.
  public init(
    _ code: Code, errno: CInt? = nil, isPermanent: Bool? = nil, _ message: String, because underlyingError: (any Error)? = nil
  ) {
    self.init(code, errno: errno, isPermanent: isPermanent, message, details: [], because: underlyingError)
  }

  package init(
    _ code: Code, errno: CInt? = nil, isPermanent: Bool? = nil, _ message: String, details: [String],
    because underlyingError: (any Error)? = nil
  ) {
    cause = Underlying(error: underlyingError)
    self.code = code
    self.errno = errno
    self.message = message
    self.details = details
    self.isPermanent = isPermanent ?? (code.permanence != nil && code.permanence != .anybody)
  }
}

/// The error behind another, which all are equal.
private struct Underlying: Hashable, Sendable {
  let error: (any Error)?

  static func == (one: Self, other: Self) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}

extension TransportError: CustomStringConvertible {
  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }
}

/// An error that can be converted to a transport error, such as one of discovery.
///
/// When the connecting closure of ``Reconnections`` throws such an error, its code and message are kept.
public protocol TransportErrorConvertible: Error {
  /// The error as a transport error.
  var transportError: TransportError { get }
}

extension TransportError: TransportErrorConvertible {
  /// The error itself.
  public var transportError: TransportError { self }
}

extension TransportError {
  /// Converts what the app's connecting closure has thrown: `unreachable` with the error's text if it is not convertible.
  init(connecting error: any Error) {
    self =
      (error as? any TransportErrorConvertible)?.transportError
      ?? TransportError(.unreachable, "\(error)", because: error)
  }
}

extension TransportError {
  /// Converts the failure of a system call.
  ///
  /// - Parameter attempt: What was tried and on what, such as "Connecting to 10.0.0.1:80".
  package init(_ error: SystemError, _ attempt: String) {
    let code = Code(errno: error.errno)
    self.init(
      code, errno: error.errno, "\(attempt) failed: \(error.reason)\(code.advice.map { "; \($0)" } ?? "")", because: error)
  }

  /// Converts the failure of a system call that concerns an address.
  ///
  /// - Parameter attempt: As above.
  init(_ error: SystemError, _ attempt: String, at address: SocketAddress) {
    guard address.family == .unix else {
      self.init(error, attempt)
      return
    }
    let code: Code =
      switch error.errno {
      case ENOENT, ENOTDIR: error.call == "connect" ? .refused : .unavailable
      default: Code(errno: error.errno)
      }
    let advice: String? =
      switch code {
      case .refused: "check that the other program runs and listens there"
      case .unavailable: "create the directory, or choose another"
      case .addressInUse: "another program listens there; choose another name"
      case .notPermitted: "check the permissions of the directory and the socket"
      default: code.advice
      }
    self.init(
      code, errno: error.errno, "\(attempt) failed: \(error.reason)\(advice.map { "; \($0)" } ?? "")", because: error)
  }

  /// Converts an error of the decoder or encoder.
  ///
  /// - Parameter attempt: What was tried and on what, such as "Reading from 10.0.0.1:80".
  init(_ error: FramingError, _ attempt: String) {
    let code: Code
    switch error.code {
    case .bodyTooLarge: code = .frameTooLarge
    case .truncated: code = .truncated
    default: code = .malformedFrame
    }
    self.init(code, "\(attempt) failed: \(error)", because: error)
  }

  /// The same error, which another attempt cannot change.
  var asPermanent: TransportError {
    TransportError(code, errno: errno, isPermanent: true, message, details: details, because: underlyingError)
  }

  static func closed(_ what: String) -> TransportError {
    TransportError(.closed, "\(what) was closed on this side; open a new one")
  }

  static func cancelled(_ attempt: String) -> TransportError {
    TransportError(.cancelled, "\(attempt) was cancelled with its task")
  }
}

extension TransportError.Code {
  init(errno: CInt) {
    switch errno {
    case ECONNREFUSED: self = .refused
    case ETIMEDOUT: self = .timedOut
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, ENONET: self = .unreachable
    case ECONNRESET, EPIPE, ECONNABORTED: self = .reset
    case EADDRINUSE: self = .addressInUse
    case EADDRNOTAVAIL, EAFNOSUPPORT, ENODEV: self = .unavailable
    case EACCES, EPERM: self = .notPermitted
    case EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC: self = .outOfResources
    default: self = .system
    }
  }

  /// What a person can do about the error.
  var advice: String? {
    switch self {
    case .refused: "check that the other program runs and listens at this port"
    case .timedOut, .unreachable: "check the address and that both are on the same network"
    case .reset: "connect again if the peer is still there"
    case .addressInUse: "choose another port, or 0 to let the system choose"
    case .unavailable: "choose an address or interface that this machine has"
    case .notPermitted: "choose a port above 1023, or check the firewall and this program's rights"
    case .helloTimedOut: "send the hello at once and admit the connection, or raise PendingConnectionLimits.timeLimit"
    case .displaced: "newer connections took its place; the peer may try again"
    case .frameTimedOut: "raise TransportLimits.frameTime if frames of this size need longer on this network"
    case .sendTimedOut: "raise TransportLimits.stallTime if peers may be that slow"
    case .outOfResources: "close connections, or raise the limit on open files (ulimit -n)"
    default: nil
    }
  }
}
