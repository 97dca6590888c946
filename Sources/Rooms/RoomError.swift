import Bonjourish
import BonjourishTransport
import FramedTransport

/// Why a room could not be opened or joined.
public struct RoomError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of a failure; kinds may be added, so a `switch` over them needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// The port cannot be listened on.
    public static let cannotListen = Code(description: "cannotListen")
    /// The state of an earlier room, which was to be gone on with, cannot be used. The file is left as it is.
    public static let unusableState = Code(description: "unusableState")
    /// The room's state cannot be written.
    public static let cannotKeepState = Code(description: "cannotKeepState")
    /// The room cannot be made known on the network.
    public static let cannotAdvertise = Code(description: "cannotAdvertise")
    /// The room is not there any more: it is still listed, but nobody answers for it.
    public static let unavailable = Code(description: "unavailable")
    /// Nobody accepts a connection where the room should be.
    public static let cannotConnect = Code(description: "cannotConnect")
    /// The task was cancelled.
    public static let cancelled = Code(description: "cancelled")
  }

  public let code: Code
  /// A sentence for a person. It may hold names from the network: do not print it raw.
  public let message: String

  public var description: String { message }

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  init(listening error: TransportError) {
    self.init(error.code == .cancelled ? .cancelled : .cannotListen, error.description)
  }

  init(advertising error: DiscoveryError) {
    self.init(error.code == .cancelled ? .cancelled : .cannotAdvertise, error.message)
  }

  init(state path: String, _ invalid: RoomMachine.Snapshot.Invalid) {
    switch invalid {
    case .format(let format):
      let known = RoomMachine.Snapshot.format
      self.init(
        .unusableState,
        "the state in \(path) has format \(format), and this program knows format \(known); update the program, or move the file away"
      )
    case .damaged(let reason):
      self.init(.unusableState, "the state in \(path) is damaged: \(reason); move the file away to begin anew")
    }
  }

  init(connectingTo room: String, _ error: TransportError) {
    self.init(
      error.code == .cancelled ? .cancelled : .cannotConnect, "could not connect to \"\(room)\": \(error.description)")
  }

  /// A room that was seen cannot be joined.
  init(_ error: ServiceConnectionError) {
    let room = error.instance.name.text
    switch error.cause {
    case .discovery(let error): self.init(lookingFor: room, error)
    case .transport(let error): self.init(connectingTo: room, error)
    }
  }

  /// The room's name led to nobody.
  init(lookingFor room: String, _ error: DiscoveryError) {
    switch error.code {
    case .cancelled: self.init(.cancelled, error.message)
    case .timedOut: self.init(.unavailable, "\"\(room)\" is not available any more; choose another room")
    default: self.init(.unavailable, error.message)
    }
  }
}
