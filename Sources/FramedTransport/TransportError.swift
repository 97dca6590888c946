import EventLoop
import Framing
import Glibc

/// Why a connection could not be made, or ended, or could not do what it was asked.
public struct TransportError: Error, Hashable, Sendable {
  /// The kind of a transport error; kinds may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nothing listens at the address.
    public static let refused = Code(description: "refused")
    /// There was no answer within the time allowed.
    public static let timedOut = Code(description: "timedOut")
    /// There is no way to the address, or no address at all.
    public static let unreachable = Code(description: "unreachable")
    /// The peer, or something on the way, broke the connection.
    public static let reset = Code(description: "reset")
    /// This side has closed the connection or listener.
    public static let closed = Code(description: "closed")
    /// A frame is larger than the format permits, on its way in or out.
    public static let frameTooLarge = Code(description: "frameTooLarge")
    /// What came is not a frame of the format.
    public static let malformedFrame = Code(description: "malformedFrame")
    /// The peer ended the connection inside a frame.
    public static let truncated = Code(description: "truncated")
    /// The listener's newcomer was not admitted in time: no frame came, or the app did not admit it.
    public static let helloTimedOut = Code(description: "helloTimedOut")
    /// The listener's newcomer, who had not been admitted yet, had to go for another.
    public static let displaced = Code(description: "displaced")
    /// The peer began a frame and did not end it in time.
    public static let frameTimedOut = Code(description: "frameTimedOut")
    /// The peer did not take in time what was sent.
    public static let sendTimedOut = Code(description: "sendTimedOut")
    /// The peer took what its group broadcast too slowly.
    public static let lagging = Code(description: "lagging")
    /// The task that waited was cancelled.
    public static let cancelled = Code(description: "cancelled")
    /// Somebody else listens at the port.
    public static let addressInUse = Code(description: "addressInUse")
    /// The address cannot be written as the system wants it, because it is too long, for example.
    public static let invalidAddress = Code(description: "invalidAddress")
    /// The address is not one of this machine, or the interface has none.
    public static let unavailable = Code(description: "unavailable")
    /// A socket that the program was started with is not one that listens, or is not there.
    public static let unusableSocket = Code(description: "unusableSocket")
    /// The host name is not known.
    public static let nameNotFound = Code(description: "nameNotFound")
    /// The system does not allow it.
    public static let notPermitted = Code(description: "notPermitted")
    /// The process or the machine is out of descriptors or memory.
    public static let outOfResources = Code(description: "outOfResources")
    /// The system gave a reason that no other code stands for; see `errno`.
    public static let system = Code(description: "system")
  }

  /// What went wrong.
  public let code: Code

  /// The system's error number behind it, if there is one.
  public let errno: CInt?

  /// What was tried, on what, why it failed, and what to do, in a sentence.
  public let description: String

  init(_ code: Code, errno: CInt? = nil, _ description: String) {
    self.code = code
    self.errno = errno
    self.description = description
  }
}

extension TransportError: CustomStringConvertible {}

extension TransportError {
  /// A system call's failure.
  ///
  /// - Parameter attempt: What was tried and on what, such as "Connecting to 10.0.0.1:80".
  init(_ error: SystemError, _ attempt: String) {
    let code = Code(errno: error.errno)
    self.init(code, errno: error.errno, "\(attempt) failed: \(error.reason)\(code.advice.map { "; \($0)" } ?? "")")
  }

  /// A system call's failure that concerns an address.
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
      case .unavailable: "make the directory, or choose another"
      case .addressInUse: "somebody listens there; choose another name"
      case .notPermitted: "look at the permissions of the directory and the socket"
      default: code.advice
      }
    self.init(code, errno: error.errno, "\(attempt) failed: \(error.reason)\(advice.map { "; \($0)" } ?? "")")
  }

  /// What the decoder or encoder says of a frame.
  ///
  /// - Parameter attempt: What was tried and on what, such as "Reading from 10.0.0.1:80".
  init(_ error: FramingError, _ attempt: String) {
    let code: Code
    switch error.code {
    case .bodyTooLarge: code = .frameTooLarge
    case .truncated: code = .truncated
    default: code = .malformedFrame
    }
    self.init(code, "\(attempt) failed: \(error)")
  }

  static func closed(_ what: String) -> TransportError {
    TransportError(.closed, "\(what) has been closed on this side; open a new one")
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

  /// What a person can do about it.
  var advice: String? {
    switch self {
    case .refused: "check that the other program runs and listens at this port"
    case .timedOut, .unreachable: "check the address and that both are on the same network"
    case .reset: "connect again if the peer is still there"
    case .addressInUse: "choose another port, or 0 to let the system choose"
    case .unavailable: "choose an address or interface that this machine has"
    case .notPermitted: "choose a port above 1023, or look at the firewall and the rights of this program"
    case .helloTimedOut: "say hello at once, and admit who has; or raise NewcomerLimits.timeLimit"
    case .displaced: "others came meanwhile; the peer may try again"
    case .frameTimedOut: "raise TransportLimits.frameTime if frames of this size need longer on this network"
    case .sendTimedOut: "raise TransportLimits.stallTime if peers may be that slow"
    case .outOfResources: "close connections, or raise the limit on open files (ulimit -n)"
    default: nil
    }
  }
}
