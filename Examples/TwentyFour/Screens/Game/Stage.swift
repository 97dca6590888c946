import Rooms
import TwentyFour
import _BonjourishTerminal

/// The hand, some sentences about it, and the clock.
struct Stage {
  private let hand: Hand?
  /// What must be known first.
  private let messages: [String]
  private let isUrgent: Bool
  private let clock: ClockBar?
  private let glyphs: Glyphs
  private let columns: Int

  init(state: GameState, now: Duration, columns: Int, glyphs: Glyphs) {
    (self.glyphs, self.columns) = (glyphs, columns)
    var hand: Hand?
    var messages: [String] = []
    var clock: ClockBar?
    switch state.phase {
    case .entering:
      messages = [Phrases.going(Phrases.entering, glyphs)]
    case .waiting:
      messages = Self.waiting(state)
      if state.round == 0 {
        messages.insert(Phrases.goal(columns, glyphs), at: 0)
        messages += [Phrases.time(state.rules)].compactMap(\.self)
      }
    case .playing(let deal, let end) where !deal.isLimited || end + Self.timeout > now:
      hand = deal.hand
      messages = [Self.own(state) ?? (Self.isNew(state) ? Phrases.goal(columns, glyphs) : nil)].compactMap(\.self)
      guard deal.isLimited else {
        messages.append(Phrases.noTimeLimit)
        break
      }
      clock = ClockBar(left: max(.zero, end - now), of: max(state.rules?.roundDuration ?? deal.remaining, deal.remaining))
    case .playing:
      // The round ended while the connection was broken.
      messages = [Phrases.gathering]
    case .pausing(let result, let next):
      hand = result.hand
      messages = [Phrases.solution(result)]
      if state.missing > 0 {
        messages.append(Phrases.missing(state.missing))
      } else if let next, let pause = result.pause {
        let left = max(.zero, next - now)
        clock = ClockBar(left: left, of: pause, label: Phrases.nextRound(result.number + 1, in: left))
      } else {
        messages.append(Phrases.lastRound)
      }
    case .ended:
      hand = state.lastResult?.hand
      messages = Self.ending(state) + [state.hosting == nil ? Phrases.hostMayPlayAgain : Phrases.typeAgain]
      if state.lastResult == nil { messages.insert(Phrases.matchIsOver, at: 0) }
    case .closed(let reason):
      hand = state.lastResult?.hand
      let isOwn = state.hosting != nil && reason.code == .hostLeft
      messages = Self.ending(state) + [isOwn ? Phrases.youClosed : Phrases.reason(reason)]
    }
    if let outage = state.outage {
      messages = ["\(Phrases.comingBack) \(Phrases.attempt(outage.attempt, in: max(.zero, outage.next - now), glyphs))"]
    }
    isUrgent = state.outage != nil
    (self.hand, self.messages, self.clock) = (hand, messages, clock)
  }

  /// The longest delay of the end of a round: the rules' grace period plus a moment for the network.
  private static let timeout: Duration = .seconds(5)

  private static func waiting(_ state: GameState) -> [String] {
    if state.missing > 0 {
      guard state.hosting != nil, state.round == 0, state.isAlone else { return [Phrases.missing(state.missing)] }
      return [Phrases.howToJoin, Phrases.waitingForCompany]
    }
    return [state.standings.contains { $0.status.isGuessing } ? Phrases.waitingForRound : Phrases.gathering]
  }

  /// The last solution, and who has won.
  private static func ending(_ state: GameState) -> [String] {
    [state.lastResult.map(Phrases.solution), state.outcome].compactMap(\.self)
  }

  /// Whether the player may not know yet what to do: in the first round, before the first try.
  private static func isNew(_ state: GameState) -> Bool { state.round <= 1 && state.tries.isEmpty && state.hints.isEmpty }

  private static func own(_ state: GameState) -> String? {
    switch state.own?.status {
    case .solved(let time): Phrases.youSolved(time)
    case .gaveUp: Phrases.youGaveUp(alone: state.standings.count == 1)
    case .guessing, .joinedAndGuessing, .waiting, .outOfTime, nil: nil
    }
  }

  // MARK: - Drawing

  /// With large digits: an empty row, the digits, an empty row, a sentence, the clock or another sentence, and an empty row.
  private static let largeHeight = BigDigits.height + 5

  private var lines: [String] { messages.flatMap { $0.wrapped(to: max(1, columns - 2)) } }

  /// The number of rows that it needs.
  ///
  /// - Parameter space: The rows that there are; of few, none is left empty.
  func height(isLarge: Bool, of space: Int) -> Int {
    let rest = lines.count + (clock == nil ? 0 : 1)
    return isLarge && hand != nil
      ? max(Self.largeHeight, BigDigits.height + 3 + rest) : max(space < 10 ? 0 : 3, rest + (hand == nil ? 0 : 1))
  }

  func canvas(rows: Int, isLarge: Bool) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: rows))
    let isLarge = isLarge && hand != nil
    var lines = lines
    // The last row is for the clock. If there is too little space, the sentences matter less than the hand.
    let last = clock == nil ? rows : rows - 1
    var row = 0
    if let hand, isLarge {
      let digits = BigDigits.canvas(hand.numbers, glyphs)
      canvas.draw(digits, row: 1, column: (columns - digits.size.columns) / 2)
      row = BigDigits.height + 2
    } else if let hand {
      write(hand.numbers.map(String.init).joined(separator: "   "), row: 0, .bold, &canvas)
      row = 1
    } else {
      row = max(0, (rows - lines.count) / 2)
    }
    lines = Array(lines.prefix(max(0, last - row)))
    for line in lines {
      write(isUrgent ? " \(line) " : line, row: row, isUrgent ? .reversed : .bold, &canvas)
      row += 1
    }
    if let clock {
      canvas.draw(clock.canvas(columns: columns, glyphs), row: isLarge ? max(row, BigDigits.height + 3) : rows - 1, column: 0)
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
