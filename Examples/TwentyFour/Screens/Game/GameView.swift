import Rooms
import Terminal
import TwentyFour

/// The picture of a game, made only from its state, for a screen of any size.
///
/// From the top: a title; the hand, a sentence about it, and the clock; the standings beside the tries, the table or the help;
/// the latest message; the line being written; the keys. Parts that do not fit are left out, the last first, except the line and
/// the clock.
struct GameView {
  let state: GameState
  /// The time, by the state's clock.
  let now: Duration

  func draw(size: TerminalSize, appearance: Appearance) -> Canvas {
    var canvas = Canvas(size)
    guard canvas.size.rows >= 4, canvas.size.columns >= 16 else {
      canvas.write(Phrases.tooSmall.truncated(to: canvas.size.columns), row: 0, column: 0)
      return canvas
    }
    let glyphs = appearance.glyphs
    let (columns, rows) = (canvas.size.columns, canvas.size.rows)

    canvas.draw(title(columns, glyphs), row: 0, column: 0)
    var bottom = rows
    if rows >= 10 {
      bottom -= 1
      canvas.draw(KeyBar(keys: keys, glyphs: glyphs).canvas(columns: columns), row: bottom, column: 0)
    }
    if state.writes {
      bottom -= 1
      canvas.draw(input(columns), row: bottom, column: 0)
    }
    if let shown = state.shownAddress {
      let view = PhonesView(address: shown.address, place: shown.place, glyphs: glyphs)
      canvas.draw(view.canvas(TerminalSize(columns: columns, rows: bottom - 1)), row: 1, column: 0)
      return canvas
    }
    let noticeRows = rows >= 20 ? 2 : rows >= 9 ? 1 : 0
    bottom -= noticeRows
    for (row, notice) in state.notices.suffix(noticeRows).enumerated() {
      let text = "\(glyphs.bullet) \(notice)".truncated(to: columns - 1, ellipsis: glyphs.ellipsis)
      canvas.write(text, row: bottom + row, column: 1, style: .dim)
    }

    let stage = Stage(state: state, now: now, glyphs: glyphs)
    let isLarge = bottom - 1 >= 14 && columns >= BigDigits.columns(Hand.size) + 2
    let stageRows = min(bottom - 1, isLarge ? Stage.largeHeight : 3)
    canvas.draw(stage.canvas(TerminalSize(columns: columns, rows: stageRows), isLarge: isLarge), row: 1, column: 0)
    canvas.draw(
      panels(TerminalSize(columns: columns, rows: bottom - 1 - stageRows), glyphs), row: 1 + stageRows, column: 0)
    return canvas
  }

  private var keys: [String] {
    if state.isClosed { return Phrases.endKeys }
    if let question = state.questionText { return [question] }
    let hostKeys = state.hosting == nil ? [] : Phrases.hostKeys
    if state.shownAddress != nil { return Phrases.phonesKeys }
    if state.writes { return Phrases.gameKeys(hintCost: GameState.hintCost) + hostKeys }
    return (state.isBot ? Phrases.botKeys : Phrases.watchKeys) + hostKeys
  }

  private func title(_ columns: Int, _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    let name = state.isWatching ? Phrases.watching : Phrases.you(state.me?.name ?? state.name)
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
    // Between rounds the table contains the standings.
    if state.panel == .table, !isPlaying {
      canvas.draw(TableView(state: state, hasStatus: true, glyphs: glyphs).canvas(size), row: 0, column: 0)
      return canvas
    }
    if size.columns >= 60 {
      let left = (size.columns - 1) / 2
      let half = TerminalSize(columns: left, rows: size.rows)
      let rest = TerminalSize(columns: size.columns - left - 1, rows: size.rows)
      canvas.draw(StandingsView(state: state, glyphs: glyphs).canvas(half), row: 0, column: 0)
      for row in 0..<size.rows { canvas.write(String(glyphs.vertical), row: row, column: left, style: .dim) }
      canvas.draw(panel(rest, glyphs), row: 0, column: left + 1)
    } else if state.panel != .tries {
      canvas.draw(panel(size, glyphs), row: 0, column: 0)
    } else {
      let lower = min(size.rows / 2, state.tries.count + state.hints.count + 1)
      let upper = TerminalSize(columns: size.columns, rows: size.rows - lower)
      canvas.draw(StandingsView(state: state, glyphs: glyphs).canvas(upper), row: 0, column: 0)
      canvas.draw(panel(TerminalSize(columns: size.columns, rows: lower), glyphs), row: upper.rows, column: 0)
    }
    return canvas
  }

  private func panel(_ size: TerminalSize, _ glyphs: Glyphs) -> Canvas {
    switch state.panel {
    case .tries: TriesView(state: state, glyphs: glyphs).canvas(size)
    case .table: TableView(state: state, hasStatus: false, glyphs: glyphs).canvas(size)
    case .help: HelpView(isHost: state.hosting != nil, glyphs: glyphs).canvas(size)
    }
  }

  private var isPlaying: Bool {
    if case .playing = state.phase { true } else { false }
  }
}

/// As many of the keys as fit.
struct KeyBar {
  let keys: [String]
  let glyphs: Glyphs

  func canvas(columns: Int) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    var text = ""
    for key in keys {
      let longer = text.isEmpty ? key : text + "   " + key
      guard longer.columns <= columns - 2 else { break }
      text = longer
    }
    canvas.write(text, row: 0, column: 1, style: .dim)
    return canvas
  }
}
