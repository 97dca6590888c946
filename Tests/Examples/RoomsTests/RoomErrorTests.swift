import Bonjourish
import FramedSecurity
import FramedTransport
import Testing

@testable import Rooms

/// What a person is told when a room cannot be opened or joined.
struct RoomErrorTests {
  @Test(
    arguments: [
      (.cancelled, .cancelled, "could not connect to \"Ada's game\": why"),
      (.refused, .cannotConnect, "could not connect to \"Ada's game\": why"),
      (.wrongPasscode, .wrongPasscode, "that is not the passcode of \"Ada's game\"; ask the host for it"),
      (
        .passcodePaused, .passcodePaused,
        "too many wrong passcodes were tried at \"Ada's game\"; ask the host to let people in again (reopen)"
      ),
      (
        .passcodeNotAsked, .wrongPasscode,
        "\"Ada's game\" asks for no passcode, so it cannot show that it knows yours; if that is right, join without one"
      ),
      (
        .notEncrypted, .notEncrypted,
        "\"Ada's game\" does not encrypt: it was opened with --insecure, or is another program"
      ),
      (
        .wrongKey, .otherKey,
        "the host of \"Ada's game\" has another key than before, or than the link says: it may be another machine, or somebody who "
          + "sits between; ask the host for the key"
      ),
    ] as [(TransportError.Code, RoomError.Code, String)])
  func `a room that cannot be reached is told with what to do`(
    code: TransportError.Code, roomCode: RoomError.Code, message: String
  ) {
    let error = RoomError(connectingTo: "Ada's game", TransportError(code, "why"))
    #expect(error.code == roomCode && error.message == message && error.keyChange == nil)
  }

  @Test func `a host with another key is told with the beginnings of both`() throws {
    let keys = try (1...2).map { number in
      try #require(KeyFingerprint([UInt8](repeating: number, count: KeyFingerprint.byteCount)))
    }
    let pins = PinStore()
    try pins.pin(keys[0], for: "room")
    let changed = try #require(throws: TransportError.self) { try pins.pin(keys[1], for: "room") }
    let error = RoomError(connectingTo: "Ada's game", changed)
    #expect(error.code == .otherKey && error.keyChange?.known == keys[0] && error.keyChange?.presented == keys[1])
    #expect(error.message.contains(" (\(keys[1].short)… instead of \(keys[0].short)…): it may be another machine"))
  }

  @Test(
    arguments: [
      (.cancelled, .cancelled, .cancelled, "why"), (.notPermitted, .notPermitted, .notPermitted, "why"),
      (.timedOut, .unavailable, .cannotAdvertise, "\"Ada's game\" is not available any more; choose another room"),
      (.nameTaken, .unavailable, .cannotAdvertise, "why"),
    ] as [(DiscoveryError.Code, RoomError.Code, RoomError.Code, String)])
  func `an error of discovery has a code of its own for who joins and who hosts`(
    code: DiscoveryError.Code, looking: RoomError.Code, advertising: RoomError.Code, message: String
  ) {
    let cause = DiscoveryError(code, "why")
    let error = RoomError(lookingFor: "Ada's game", cause)
    #expect(error.code == looking && error.message == message)
    let other = RoomError(advertising: cause)
    #expect(other.code == advertising && other.message == "why")
  }

  @Test func `a host that cannot listen says why, unless it was cancelled`() {
    let taken = RoomError(listening: TransportError(.addressInUse, "somebody listens there"))
    #expect(taken.code == .cannotListen && taken.message == "somebody listens there")
    #expect(RoomError(listening: TransportError(.cancelled, "why")).code == .cancelled)
  }
}
