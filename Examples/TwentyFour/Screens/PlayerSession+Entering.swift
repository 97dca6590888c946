import Bonjourish
import FramedSecurity
import FramedTransport
import Rooms
import _BonjourishConsole

/// What a player must know or decide before a room lets them in.
extension PlayerSession {
  /// A room to enter.
  struct Destination {
    /// The room's name for people; it may come from the network.
    let name: String
    /// How the room is protected, as it is advertised.
    var lock: RoomLock?
    /// A link to it, if the player has one.
    var link: RoomLink?
    /// The name by which the room's key is remembered.
    let pinName: String
  }

  /// Enters a room, and asks the player for what is missing.
  ///
  /// - Parameter play: Plays in the room until it is closed.
  func enter(_ destination: Destination, _ play: (PlayerSecurity) async throws -> RoomReason?) async throws -> RoomReason? {
    var security = try self.security(for: destination)
    if invocation.trustsNewKey {
      try changePins(of: security) { (pins) throws(TransportError) in try pins.forget(destination.pinName) }
    }
    if case .key = security.knowledge, destination.lock == .passcode {
      guard let passcode = await passcode(for: destination) else { throw Failure(.notPermitted, Phrases.missingPasscode) }
      security.knowledge = .passcode(passcode)
    }
    while true {
      do {
        let reason = try await play(security)
        guard reason?.code == .passcode, let passcode = await passcode(for: destination) else { return reason }
        security.knowledge = .passcode(passcode)
      } catch let error as RoomError where error.code == .wrongPasscode {
        guard let passcode = await passcode(for: destination, notice: error.description) else { throw error }
        security.knowledge = .passcode(passcode)
      } catch let error as RoomError where error.code == .otherKey && destination.link == nil {
        let answer = await face.ask(Phrases.newKeyQuestion(destination.name), notice: error.description)
        guard answer?.lowercased() == "yes", let change = error.keyChange else { throw error }
        // This key, not whichever comes next.
        try changePins(of: security) { (pins) throws(TransportError) in
          try pins.replace(change.known, with: change.presented, for: destination.pinName)
        }
      }
    }
  }

  private func security(for destination: Destination) throws(Failure) -> PlayerSecurity {
    if invocation.isInsecure, destination.lock == nil || destination.lock == RoomLock.none { return .plaintext }
    if destination.lock == RoomLock.none { throw Failure(.unavailable, Phrases.notEncrypted(destination.name)) }
    let knowledge: PlayerSecurity.Knowledge =
      if let link = destination.link { .link(link) } else { invocation.passcode.map { .passcode($0) } ?? .key }
    return PlayerSecurity(
      knowledge, identity: try StateFolder.identity(invocation.diagnostics), pins: try StateFolder.pins(invocation.diagnostics))
  }

  private func changePins(
    of security: PlayerSecurity, _ change: (PinStore) throws(TransportError) -> Void
  ) throws(Failure) {
    do throws(TransportError) {
      try change(security.pins)
    } catch {
      throw Failure(.inputOutput, error.description)
    }
  }

  /// Asks for a passcode; nil if there is nobody to ask, or no answer.
  private func passcode(for destination: Destination, notice: String? = nil) async -> Passcode? {
    guard !invocation.isBot else { return nil }
    return await face.ask(Phrases.passcodeQuestion(destination.name), notice: notice).flatMap { Passcode(text: $0) }
  }
}
