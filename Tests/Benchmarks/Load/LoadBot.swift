import FramedJSON
import FramedTransport
import Rooms
import Synchronization
import TwentyFour

/// A player without a person, who notes when what arrives.
final class LoadBot: Sendable {
  /// What came of saying hello.
  enum Entry: Sendable {
    case inside(RoomID)
    case refused(RoomReason.Code)
    case lost
  }

  private struct State {
    var generator: TwentyFour.SeededGenerator
    var me: PlayerID?
    var room: RoomID?
    /// The answer that is not acknowledged yet.
    var sent: ContinuousClock.Instant?
    var entry: Entry?
    var waiter: CheckedContinuation<Entry, Never>?
  }

  private let connection: Connection
  private let figures: Figures
  private let state: Mutex<State>

  /// Connects and says hello.
  ///
  /// - Parameter security: The protection that the server expects.
  init(
    _ number: Int, at addresses: [SocketAddress], players: Int, security: ConnectionSecurity, figures: Figures
  ) async throws {
    connection = try await Connection.connect(
      to: addresses, format: RoomMessage.format, limits: RoomMessage.playerLimits, security: security, within: .seconds(30))
    self.figures = figures
    state = Mutex(State(generator: TwentyFour.SeededGenerator(seed: UInt64(number))))
    let hello = RoomMessage.hello(.init(name: "Bot \(number)", players: players...players))
    try await connection.send(try RoomMessage.codec.encode(hello))
  }

  /// Begins to play, on the connection's own thread, until the match is over.
  ///
  /// - Returns: A task that tells why it ended.
  func begin() -> Task<RoomReason.Code, Never> {
    Task(executorPreference: connection.executor) { await self.play() }
  }

  private func play() async -> RoomReason.Code {
    var reason = RoomReason.Code.lost
    do {
      for try await frame in connection.frames {
        switch Glance(frame) {
        case .welcome, .round, .answer, .refused, .closed:
          if let end = take(try RoomMessage.codec.decode(frame), at: .now) { reason = end }
        case .roundEnded:
          figures.roundEnded()
        case .other:
          break
        }
      }
    } catch {
      figures.note("\(error)")
    }
    enter(.lost)
    await connection.close()
    return reason
  }

  /// Waits until the server has let the bot in, or has not.
  func entry() async -> Entry {
    await withCheckedContinuation { continuation in
      let entry = state.withLock { state in
        if state.entry == nil { state.waiter = continuation }
        return state.entry
      }
      if let entry { continuation.resume(returning: entry) }
    }
  }

  private func enter(_ entry: Entry) {
    let waiter = state.withLock { state in
      guard state.entry == nil else { return nil as CheckedContinuation<Entry, Never>? }
      state.entry = entry
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: entry)
  }

  private func take(_ message: RoomMessage, at now: ContinuousClock.Instant) -> RoomReason.Code? {
    switch message {
    case .welcome(let welcome):
      state.withLock { state in
        state.me = welcome.player?.id
        state.room = welcome.room
      }
      enter(.inside(welcome.room))
    case .event(.round(let deal)):
      if let room = state.withLock({ $0.room }) { figures.roundStarted(deal.number, in: room, at: now) }
      answer(deal)
    case .event(.answer(let player, _)):
      let sent: ContinuousClock.Instant? = state.withLock { state in
        guard player.id == state.me else { return nil }
        defer { state.sent = nil }
        return state.sent
      }
      if let sent { figures.acknowledged(after: now - sent) }
    case .event(.refused(let reason)):
      figures.note("an answer was refused: \(reason)")
    case .event(.closed(let reason)):
      // Without effect when the bot is inside.
      enter(.refused(reason.code))
      return reason.code
    default:
      break
    }
    return nil
  }

  /// Answers between a tenth and six tenths of the time, as a person would.
  private func answer(_ deal: Match.Deal) {
    let share = state.withLock { Int.random(in: 100...600, using: &$0.generator) }
    let solution = figures.solution(of: deal.hand)
    let message = RoomMessage.act(round: deal.number, .answer(solution))
    Task(executorPreference: connection.executor) { [self] in
      do { try await Task.sleep(for: deal.remaining * share / 1_000) } catch { return }
      state.withLock { $0.sent = .now }
      figures.answered()
      if (try? connection.trySend(try RoomMessage.codec.encode(message))) != true {
        figures.note("an answer could not be sent")
      }
    }
  }
}
