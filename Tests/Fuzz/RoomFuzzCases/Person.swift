import FramedSecurity
import Rooms
import TwentyFour

/// Somebody with the real program of a player.
struct Person {
  /// Who comes, and with what.
  enum Kind: CaseIterable {
    /// Has proved the passcode.
    case friend
    /// The same, with a key, and at the same address.
    case friendWithKey
    /// Has an invitation.
    case invited
    /// Has proved the passcode, and spectates.
    case spectator
    /// Has nothing.
    case stranger
  }

  let kind: Kind
  private let name: PlayerName
  private let invitation: Invitation
  private(set) var machine: PlayerMachine
  /// The number of the connection, as long as the person has one.
  var wire: Int?
  /// The latest welcome to a seat.
  var seat: (player: PlayerID, secret: String)?
  /// Whether the passcode is proved on connecting: at first, and again when the host says that there is no seat.
  var proves: Bool

  /// What the player's program has to do.
  struct Duties {
    var said: [RoomMessage] = []
    var breaks = false
    var ends = false
  }

  init?(_ kind: Kind, invitation: Invitation) {
    guard let name = try? PlayerName(kind == .spectator ? "Wes" : kind == .invited ? "Ida" : "Ada") else { return nil }
    self.kind = kind
    self.name = name
    self.invitation = invitation
    machine = Self.machine(kind, name, invitation)
    proves = Self.knowsPasscode(kind)
  }

  private static func knowsPasscode(_ kind: Kind) -> Bool { [.friend, .friendWithKey, .spectator].contains(kind) }

  private static func machine(_ kind: Kind, _ name: PlayerName, _ invitation: Invitation) -> PlayerMachine {
    var entry = PlayerEntry(name: name)
    entry.spectates = kind == .spectator
    return PlayerMachine(entry, invitation: kind == .invited ? invitation : nil, canProve: knowsPasscode(kind))
  }

  /// Starts the program anew.
  mutating func beginAnew() {
    machine = Self.machine(kind, name, invitation)
    (wire, seat, proves) = (nil, nil, Self.knowsPasscode(kind))
  }

  mutating func handle(_ event: PlayerMachine.Event, at now: Duration) -> Duties {
    var duties = Duties()
    for effect in machine.handle(event, at: now) {
      switch effect {
      case .send(let message): duties.said.append(message)
      case .drop: duties.breaks = true
      case .prove: proves = true
      case .end(let message):
        duties.said += [message].compactMap(\.self)
        duties.ends = true
      case .comeBack, .report: break
      }
    }
    return duties
  }
}
