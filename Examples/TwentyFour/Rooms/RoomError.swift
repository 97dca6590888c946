import Bonjourish
import BonjourishTransport
public import FramedSecurity
public import FramedTransport

/// An error in opening or joining a room.
public struct RoomError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The host cannot listen on the port.
    public static let cannotListen = Code(description: "cannotListen")
    /// The state of an earlier process cannot be used. The file is unchanged.
    public static let unusableState = Code(description: "unusableState")
    /// The room's state cannot be written.
    public static let cannotKeepState = Code(description: "cannotKeepState")
    /// The room cannot be advertised on the network.
    public static let cannotAdvertise = Code(description: "cannotAdvertise")
    /// A directory does not let this program in, or does not let it advertise the room.
    public static let notPermitted = Code(description: "notPermitted")
    /// The room is gone: it is still listed, but does not answer.
    public static let unavailable = Code(description: "unavailable")
    /// No program accepts a connection at the room's address.
    public static let cannotConnect = Code(description: "cannotConnect")
    /// The room is on another host than before, so the player's secret was not sent there.
    public static let moved = Code(description: "moved")
    /// The passcode is not the room's.
    public static let wrongPasscode = Code(description: "wrongPasscode")
    /// The room evaluates no passcodes at present.
    public static let passcodePaused = Code(description: "passcodePaused")
    /// The host has another key than before, or than the link says.
    public static let otherKey = Code(description: "otherKey")
    /// The room is not encrypted.
    public static let notEncrypted = Code(description: "notEncrypted")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  public let code: Code
  /// A sentence for people. It may contain names from the network: print ``description``, which is escaped.
  public let message: String
  /// The two keys, for `otherKey`.
  public let keyChange: KeyChange?

  /// The message, escaped for display.
  public var description: String { message.escapedForDisplay }

  init(_ code: Code, _ message: String, keyChange: KeyChange? = nil) {
    self.code = code
    self.message = message
    self.keyChange = keyChange
  }

  /// The host cannot listen.
  public init(listening error: TransportError) {
    self.init(error.code == .cancelled ? .cancelled : .cannotListen, error.description)
  }

  init(advertising error: DiscoveryError) {
    let code: Code =
      switch error.code {
      case .cancelled: .cancelled
      case .notPermitted: .notPermitted
      default: .cannotAdvertise
      }
    self.init(code, error.message)
  }

  init(damagedState path: String, _ reason: String = "it was not written by this program") {
    self.init(.unusableState, "the state in \(path) is damaged: \(reason); move the file away to start afresh")
  }

  init(connectingTo room: String, _ error: TransportError) {
    switch error.code {
    case .cancelled: self.init(.cancelled, "could not connect to \"\(room)\": \(error.description)")
    case .wrongPasscode: self.init(.wrongPasscode, "that is not the passcode of \"\(room)\"; ask the host for it")
    case .passcodePaused:
      self.init(
        .passcodePaused, "too many wrong passcodes were tried at \"\(room)\"; ask the host to let people in again (reopen)")
    case .passcodeNotAsked:
      self.init(
        .wrongPasscode,
        "\"\(room)\" asks for no passcode, so it cannot show that it knows yours; if that is right, join without one")
    case .keyChanged, .wrongKey:
      let key = error.keyChange.map { " (\($0.presented.short)… instead of \($0.known.short)…)" } ?? ""
      self.init(
        .otherKey,
        "the host of \"\(room)\" has another key than before, or than the link says\(key): it may be another machine, or somebody who sits between; "
          + "ask the host for the key", keyChange: error.keyChange)
    case .notEncrypted:
      self.init(.notEncrypted, "\"\(room)\" does not encrypt: it was opened with --insecure, or is another program")
    default: self.init(.cannotConnect, "could not connect to \"\(room)\": \(error.description)")
    }
  }

  /// A listed room cannot be joined.
  init(_ error: ServiceConnectionError) {
    let room = error.instance.name.text
    if error.code == .moved {
      self.init(.moved, error.message)
      return
    }
    switch error.cause {
    case .discovery(let error): self.init(lookingFor: room, error)
    case .transport(let error): self.init(connectingTo: room, error)
    @unknown default: self.init(.unavailable, error.message)
    }
  }

  /// The room's name could not be resolved.
  init(lookingFor room: String, _ error: DiscoveryError) {
    switch error.code {
    case .cancelled: self.init(.cancelled, error.message)
    case .notPermitted: self.init(.notPermitted, error.message)
    case .timedOut: self.init(.unavailable, "\"\(room)\" is not available any more; choose another room")
    default: self.init(.unavailable, error.message)
    }
  }
}
