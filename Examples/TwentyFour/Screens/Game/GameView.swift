import Rooms
import TwentyFour
import _BonjourishTerminal

/// The picture of a game, made only from its state, for a screen of any size.
///
/// From the top: a title; the hand, sentences about it, and the clock; the hints that were paid for; the standings beside the
/// tries, or the table, or the help; the latest message; the line being written; the keys. Parts that do not fit are left out, the
/// last first, except the line, the clock and the hints.
struct GameView {
  let state: GameState
  /// The time, by the state's clock.
  let now: Duration

  /// The smallest window with all that a player needs.
  static let smallest = TerminalSize(columns: 40, rows: 10)
  /// In a wider window, the columns would be too far from each other to be read together.
  static let widest = 100
  /// The columns that are left for the panel beside the standings.
  private static let narrowestPanel = 32

  func draw(size: TerminalSize, appearance: Appearance) -> Canvas {
    var canvas = Canvas(size)
    let glyphs = appearance.glyphs
    let advice = Phrases.tooSmall(canvas.size, needed: Self.smallest, glyphs)
    guard canvas.size.rows >= 7, canvas.size.columns >= 24 else {
      for (row, line) in advice.wrapped(to: canvas.size.columns).enumerated() { canvas.write(line, row: row, column: 0) }
      return canvas
    }
    let (columns, rows) = (min(canvas.size.columns, Self.widest), canvas.size.rows)
    var inner = Canvas(TerminalSize(columns: columns, rows: rows))
    inner.draw(title(columns, glyphs), row: 0, column: 0)
    let isTiny = canvas.size.columns < Self.smallest.columns || rows < Self.smallest.rows
    var bottom = rows
    if rows >= Self.smallest.rows {
      bottom -= 1
      inner.draw(keys(glyphs).canvas(columns: columns), row: bottom, column: 0)
    }
    if state.writes {
      bottom -= 1
      inner.draw(input(columns), row: bottom, column: 0)
    }
    if let shown = state.shownAddress {
      let phones = PhonesView(address: shown.address, place: shown.place, glyphs: glyphs)
      inner.draw(phones.canvas(TerminalSize(columns: columns, rows: bottom - 1)), row: 1, column: 0)
    } else {
      drawGame(on: &inner, above: bottom, glyphs, advice: isTiny ? advice : nil)
    }
    canvas.draw(inner, row: 0, column: (canvas.size.columns - columns) / 2)
    canvas.restyle(row: 0, .reversed)
    return canvas
  }

  /// Draws everything between the title and the line being written.
  private func drawGame(on inner: inout Canvas, above bottom: Int, _ glyphs: Glyphs, advice: String?) {
    let columns = inner.size.columns
    let notices = NoticesView(state: state, glyphs: glyphs).canvas(columns: columns, rows: inner.size.rows)
    let top = bottom - notices.size.rows
    inner.draw(notices, row: top, column: 0)
    inner.draw(content(TerminalSize(columns: columns, rows: top - 1), glyphs, advice: advice), row: 1, column: 0)
  }

  /// What stands between the title and the messages.
  private func content(_ size: TerminalSize, _ glyphs: Glyphs, advice: String?) -> Canvas {
    var canvas = Canvas(size)
    let stage = Stage(state: state, now: now, columns: size.columns, glyphs: glyphs)
    let isLarge = size.rows >= 14 && size.columns >= BigDigits.columns(Hand.size) + 2
    var stageRows = min(size.rows, stage.height(isLarge: isLarge, of: size.rows))
    let help = HelpView(state: state, glyphs: glyphs)
    // Whoever asks for help gets all of it, if need be in place of the hand.
    if help.isShown, help.height(columns: size.columns) > size.rows - stageRows { stageRows = 0 }
    if stageRows > 0 { canvas.draw(stage.canvas(rows: stageRows, isLarge: isLarge), row: 0, column: 0) }
    var top = stageRows
    if let advice {
      for line in advice.wrapped(to: size.columns - 2) {
        canvas.write(line, row: top, column: 1)
        top += 1
      }
    } else if isPlaying, !help.isShown {
      let hints = HintsView(hints: state.hints, glyphs: glyphs).canvas(
        TerminalSize(columns: size.columns, rows: size.rows - top))
      canvas.draw(hints, row: top, column: 0)
      top += hints.size.rows
    }
    canvas.draw(panels(TerminalSize(columns: size.columns, rows: max(0, size.rows - top)), glyphs), row: top, column: 0)
    return canvas
  }

  private func keys(_ glyphs: Glyphs) -> KeyBar {
    if state.isClosed { return KeyBar(keys: Phrases.endKeys, glyphs: glyphs) }
    if let question = state.questionText { return KeyBar(keys: [question], glyphs: glyphs) }
    if state.shownAddress != nil { return KeyBar(keys: Phrases.phonesKeys, glyphs: glyphs) }
    let hosts = state.hosting != nil
    let quit = [state.writes ? Phrases.quitKey : Phrases.quitByKey]
    if state.phase == .entering { return KeyBar(keys: [], last: quit, glyphs: glyphs) }
    return KeyBar(keys: offered(isHost: hosts) + (hosts ? Phrases.hostKeys : []), last: quit, glyphs: glyphs)
  }

  /// What the player can do now, most important first.
  private func offered(isHost: Bool) -> [String] {
    let phones = isHost ? [Phrases.phonesKey] : []
    switch (state.hasEnded, state.writes) {
    case (true, true): return (isHost ? [Phrases.againKey] : []) + [Phrases.helpKey] + phones + [Phrases.tableKey]
    case (true, false): return (isHost ? [Phrases.againKeyOfBot] : []) + phones + [Phrases.helpKey, Phrases.tableKey]
    case (false, false): return (state.isBot ? [Phrases.botPlays] : []) + phones + [Phrases.helpKey, Phrases.tableKey]
    case (false, true): break
    }
    // Nobody else ends it while somebody sits and does nothing.
    let next = isHost && state.isUnlimited ? [Phrases.nextKey] : []
    guard state.isGuessing else {
      let mayBegin = isHost && state.phase == .waiting && state.round == 0
      return (mayBegin ? [Phrases.startKey] : next) + phones + [Phrases.helpKey, Phrases.tableKey]
    }
    let hint = state.hints.count < Hint.limit ? [Phrases.hintKey(cost: GameState.hintCost)] : []
    return hint + [Phrases.helpKey] + phones + [Phrases.giveUpKey] + next + [Phrases.tableKey, Phrases.answerKey]
  }

  private func title(_ columns: Int, _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    let name = state.isSpectator ? Phrases.watching : Phrases.you(state.me?.name ?? state.name)
    let parts = state.round > 0 ? [Phrases.roundTitle(state.round, of: state.rules?.rounds), name] : [name]
    let right = parts.joined(separator: glyphs.separator).truncated(to: columns - 2, ellipsis: glyphs.ellipsis)
    let room = Phrases.titled(state.title, passcode: state.passcode).truncated(
      to: columns - right.columns - 4, ellipsis: glyphs.ellipsis)
    canvas.write(room, row: 0, column: 1)
    canvas.write(right, row: 0, column: columns - right.columns - 1)
    canvas.restyle(row: 0, .reversed)
    return canvas
  }

  private func input(_ columns: Int) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    if let question = state.questionText {
      let end = canvas.write(question.truncated(to: columns - 2), row: 0, column: 1, style: .bold)
      canvas.cursor = Canvas.Position(row: 0, column: min(columns - 1, end))
      return canvas
    }
    let start = canvas.write(Phrases.prompt, row: 0, column: 1, style: .bold)
    let window = state.editor.window(columns: columns - start - 1)
    canvas.write(window.text, row: 0, column: start)
    canvas.cursor = Canvas.Position(row: 0, column: min(columns - 1, start + window.cursor))
    return canvas
  }

  // MARK: - Below the clock

  private func panels(_ size: TerminalSize, _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(size)
    switch state.panel {
    case .help, .hosting: return HelpView(state: state, glyphs: glyphs).canvas(size)
    // Between rounds the table contains the standings.
    case .codes: return CodesView(state: state, glyphs: glyphs).canvas(size)
    case .table where !isPlaying: return TableView(state: state, hasStatus: true, glyphs: glyphs).canvas(size)
    case .tries, .table: break
    }
    let standings = StandingsView(state: state, glyphs: glyphs)
    if size.columns >= 60 {
      let half = (size.columns - 1) / 2
      // Wider for long names, if the tries have enough left.
      let left = max(half, min(standings.wishedColumns, size.columns - Self.narrowestPanel - 1))
      let names = TerminalSize(columns: left, rows: size.rows)
      let rest = TerminalSize(columns: size.columns - left - 1, rows: size.rows)
      canvas.draw(standings.canvas(names), row: 0, column: 0)
      for row in 0..<size.rows { canvas.write(String(glyphs.vertical), row: row, column: left, style: .dim) }
      canvas.draw(panel(rest, glyphs), row: 0, column: left + 1)
    } else if state.panel != .tries {
      canvas.draw(panel(size, glyphs), row: 0, column: 0)
    } else {
      let tries = TriesView(state: state, glyphs: glyphs)
      let lower = tries.height(columns: size.columns, rows: size.rows)
      canvas.draw(standings.canvas(TerminalSize(columns: size.columns, rows: size.rows - lower)), row: 0, column: 0)
      canvas.draw(tries.canvas(TerminalSize(columns: size.columns, rows: lower)), row: size.rows - lower, column: 0)
    }
    return canvas
  }

  private func panel(_ size: TerminalSize, _ glyphs: Glyphs) -> Canvas {
    state.panel == .table
      ? TableView(state: state, hasStatus: false, glyphs: glyphs).canvas(size)
      : TriesView(state: state, glyphs: glyphs).canvas(size)
  }

  private var isPlaying: Bool {
    if case .playing = state.phase { true } else { false }
  }
}
