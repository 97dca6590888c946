import Rooms
import Synchronization
import TwentyFour

/// What the events of a room have told, for commands and signals that come between them.
final class Company: Sendable {
  private struct State: Sendable {
    var game: GameState
    /// Whether the host is asked whether to close the room.
    var isAsking = false
  }

  private let state: Mutex<State>
  private let isHost: Bool
  private let origin = ContinuousClock.now

  init(_ name: PlayerName, isHost: Bool) {
    state = Mutex(State(game: GameState(name: name, title: "")))
    self.isHost = isHost
  }

  func see(_ event: RoomEvent) {
    let now = ContinuousClock.now - origin
    state.withLock { $0.game.take(event, at: now) }
  }

  var game: GameState { state.withLock(\.game) }

  /// The number of the other players.
  var others: Int {
    let game = game
    return game.standings.count { $0.player.id != game.me?.id }
  }

  /// The time that is left of the running round, in words.
  var timeInWords: String {
    if game.isUnlimited { return Phrases.noTimeLimit }
    return timeLeft.map { Phrases.timeLeft($0) } ?? Phrases.noRound
  }

  /// The time that is left of the running round; nil if there is none.
  var timeLeft: Duration? {
    guard case .playing(_, let end) = game.phase else { return nil }
    return max(.zero, end - (ContinuousClock.now - origin))
  }

  /// Whether the host is asked whether to close the room.
  var isAsking: Bool {
    get { state.withLock(\.isAsking) }
    set { state.withLock { $0.isAsking = newValue } }
  }

  /// Decides about Ctrl-C: the first one asks a host whether to close the room for others, if it is open.
  ///
  /// - Returns: Whether to ask, and not to end.
  func takesInterrupt() -> Bool {
    guard isHost, !game.isClosed, others > 0 else { return false }
    return state.withLock { state in
      defer { state.isAsking = true }
      return !state.isAsking
    }
  }
}
