import Rooms
import Terminal
import TwentyFour

/// The hand, a sentence about it, and the clock.
struct Stage {
  private let hand: Hand?
  private let message: String?
  private let isUrgent: Bool
  private let clock: ClockBar?
  private let glyphs: Glyphs

  init(state: GameState, now: Duration, glyphs: Glyphs) {
    self.glyphs = glyphs
    var (hand, message, clock): (Hand?, String?, ClockBar?)
    switch state.phase {
    case .entering:
      message = Phrases.entering
    case .waiting:
      message = state.missing > 0 ? Phrases.missing(state.missing) : Self.waiting(state)
    case .playing(let deal, let end) where end + Self.patience > now:
      hand = deal.hand
      message = Self.own(state)
      clock = ClockBar(left: max(.zero, end - now), of: max(state.rules?.roundDuration ?? deal.remaining, deal.remaining))
    case .playing:
      // The round ended while the connection was broken.
      message = Phrases.gathering
    case .pausing(let result, let next):
      hand = result.hand
      message = Phrases.solution(result)
      if state.missing > 0 {
        message = Phrases.missing(state.missing)
      } else if let next, let pause = result.pause {
        let left = max(.zero, next - now)
        clock = ClockBar(left: left, of: pause, label: Phrases.nextRound(result.number + 1, in: left))
      }
    case .closed(let reason):
      message = [Phrases.reason(reason), Self.winner(state)].compactMap(\.self).joined(separator: " ")
    }
    if let outage = state.outage {
      message = "\(Phrases.comingBack) \(Phrases.attempt(outage.attempt, in: max(.zero, outage.next - now)))"
    }
    isUrgent = state.outage != nil
    (self.hand, self.message, self.clock) = (hand, message, clock)
  }

  /// The longest delay of the end of a round: the rules' grace period plus a moment for the network.
  private static let patience: Duration = .seconds(5)

  private static func waiting(_ state: GameState) -> String {
    state.standings.contains { $0.status.isGuessing } ? Phrases.waitingForRound : Phrases.gathering
  }

  /// The player with the most points at the end, if there is one.
  private static func winner(_ state: GameState) -> String? {
    guard let most = state.standings.map(\.points).max(), most > 0 else { return nil }
    let winners = state.standings.filter { $0.points == most }
    guard winners.count == 1 else { return Phrases.tie(winners.count, most) }
    return Phrases.winner(winners[0].player, isMe: winners[0].player.id == state.me?.id, most)
  }

  private static func own(_ state: GameState) -> String? {
    switch state.own?.status {
    case .solved(let time): Phrases.youSolved(time)
    case .gaveUp: Phrases.youGaveUp
    case .guessing, .joinedAndGuessing, .waiting, .outOfTime, nil: nil
    }
  }

  /// With large digits: an empty row, the digits, an empty row, the sentence, the clock and an empty row.
  static let largeHeight = BigDigits.height + 5

  func canvas(_ size: TerminalSize, isLarge: Bool) -> Canvas {
    var canvas = Canvas(size)
    let isLarge = isLarge && hand != nil
    if let hand {
      if isLarge {
        let digits = BigDigits.canvas(hand.numbers, glyphs)
        canvas.draw(digits, row: 1, column: (size.columns - digits.size.columns) / 2)
      } else {
        write(hand.numbers.map(String.init).joined(separator: "   "), row: 0, .bold, &canvas)
      }
    }
    let messageRow = isLarge ? BigDigits.height + 2 : hand == nil ? (size.rows - 1) / 2 : size.rows > 2 ? 1 : size.rows
    if let message {
      let text = isUrgent ? " \(message) " : message
      write(text, row: messageRow, isUrgent ? .reversed : .bold, &canvas)
    }
    if let clock {
      canvas.draw(clock.canvas(columns: size.columns, glyphs), row: isLarge ? BigDigits.height + 3 : size.rows - 1, column: 0)
    }
    return canvas
  }

  /// Writes a line centred in a row.
  private func write(_ text: String, row: Int, _ style: Style, _ canvas: inout Canvas) {
    let text = text.truncated(to: canvas.size.columns, ellipsis: glyphs.ellipsis)
    canvas.write(text, row: row, column: (canvas.size.columns - text.columns) / 2, style: style)
  }
}

/// The time that is left, as a bar and in words.
struct ClockBar {
  let left: Duration
  let whole: Duration
  let label: String

  init(left: Duration, of whole: Duration, label: String? = nil) {
    self.left = left
    self.whole = whole
    self.label = label ?? Phrases.secondsLeft(left)
  }

  private var fraction: Double { whole > .zero ? min(1, max(0, left / whole)) : 0 }

  func canvas(columns: Int, _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    let label = label.truncated(to: columns - 2, ellipsis: glyphs.ellipsis).leftPadded(
      to: min(columns - 2, max(5, label.columns)))
    let length = columns - label.columns - 4
    guard length >= 4 else {
      canvas.write(label, row: 0, column: (columns - label.columns) / 2, style: .bold)
      return canvas
    }
    let full = Int((fraction * Double(length)).rounded(.up))
    let style = Style.plain.colored(fraction > 0.3 ? .green : fraction > 0.1 ? .yellow : .red)
    let end = canvas.write(String(repeating: glyphs.full, count: full), row: 0, column: 1, style: style)
    canvas.write(String(repeating: glyphs.empty, count: length - full), row: 0, column: end, style: .dim)
    canvas.write(label, row: 0, column: columns - label.columns - 1, style: .bold)
    return canvas
  }
}
