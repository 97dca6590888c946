import EventLoop
import FramedTransport
import Framing
import Rooms
import TwentyFour

/// A player without a person, who notes when what reaches him.
final class LoadBot: Sendable {
  /// What came of saying hello.
  enum Entry: Sendable {
    case inside(RoomID)
    case refused(RoomReason.Code)
    case lost
  }

  private struct State {
    var generator: SeededGenerator
    var me: PlayerID?
    var room: RoomID?
    /// The answer that is not acknowledged yet.
    var sent: ContinuousClock.Instant?
    var entry: Entry?
    var waiter: CheckedContinuation<Entry, Never>?
  }

  static let format = FrameFormat(maximumBodySize: RoomMessage.maximumByteCount)

  private let connection: Connection
  private let figures: Figures
  private let state: Locked<State>

  /// Connects and says hello.
  init(_ number: Int, at addresses: [SocketAddress], players: Int, figures: Figures) async throws {
    connection = try await Connection.connect(to: addresses, format: Self.format, within: .seconds(30))
    self.figures = figures
    state = Locked(State(generator: SeededGenerator(seed: UInt64(number))))
    let hello = RoomMessage.hello(.init(name: "Bot \(number)", players: players...players))
    try await connection.send(hello.encoded())
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
        case .welcome, .accepted, .round, .answerRefused, .refused, .closed:
          if let end = take(try RoomMessage(decoding: frame), at: .now) { reason = end }
        case .ping:
          try await connection.send(RoomMessage.pong.encoded())
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

  /// Waits until the house has let the bot in, or has not.
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
    case .round(let deal):
      if let room = state.withLock({ $0.room }) { figures.roundStarted(deal.number, in: room, at: now) }
      answer(deal)
    case .accepted(let player, _):
      let sent: ContinuousClock.Instant? = state.withLock { state in
        guard player.id == state.me else { return nil }
        defer { state.sent = nil }
        return state.sent
      }
      if let sent { figures.acknowledged(after: now - sent) }
    case .answerRefused(let reason):
      figures.note("an answer was refused: \(reason)")
    case .refused(let reason):
      enter(.refused(reason.code))
      return reason.code
    case .closed(let reason):
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
    let body = RoomMessage.answer(round: deal.number, expression: solution).encoded()
    Task(executorPreference: connection.executor) { [self] in
      do { try await Task.sleep(for: deal.remaining * share / 1_000) } catch { return }
      state.withLock { $0.sent = .now }
      figures.answered()
      if (try? connection.trySend(body)) != true { figures.note("an answer could not be sent") }
    }
  }
}
