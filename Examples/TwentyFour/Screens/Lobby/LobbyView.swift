import Bonjourish
import Rooms
import _BonjourishTerminal

/// The picture of the lobby, made only from its state, for a screen of any size.
struct LobbyView {
  let state: LobbyState
  /// The time, by the state's clock.
  let now: Duration

  /// The widths of the list's columns; a column of width 0 is left out.
  private struct Widths {
    let number = 3
    let room: Int
    let players: Int
    let state: Int
    let time: Int
    let lock: Int
    let place: Int
    let host: Int
    let age: Int

    /// In a narrower window, what is told of the selected room says how much time there is.
    static let withTime = 48

    /// - Parameters:
    ///   - longestTime: The width of the column that tells how much time there is; 0 if all rooms have the usual time.
    ///   - longestPlace: The width of the column that tells where rooms are; 0 if all are on the local network.
    init(columns: Int, longestName: Int, longestTime: Int, longestPlace: Int) {
      (players, state) = columns >= 40 ? (10, 9) : (0, 0)
      time = columns >= Self.withTime && longestTime > 0 ? longestTime + 1 : 0
      lock = columns >= 52 + time ? 10 : 0
      place = columns >= 62 + time && longestPlace > 0 ? min(14, longestPlace + 1) : 0
      age = columns >= 62 + time + place ? 9 : 0
      let rest = columns - number - players - state - time - lock - place - age - 4
      host = columns >= 70 + time + place ? min(24, rest / 2) : 0
      room = max(0, min(rest - host, max(12, longestName + 2)))
    }
  }

  func draw(size: TerminalSize, appearance: Appearance) -> Canvas {
    var canvas = Canvas(size)
    let glyphs = appearance.glyphs
    let advice = Phrases.tooSmall(canvas.size, needed: GameView.smallest, glyphs)
    guard canvas.size.rows >= 7, canvas.size.columns >= 24 else {
      for (row, line) in advice.wrapped(to: canvas.size.columns).enumerated() { canvas.write(line, row: row, column: 0) }
      return canvas
    }
    let (columns, rows) = (min(canvas.size.columns, GameView.widest), canvas.size.rows)
    let isTiny = canvas.size.columns < GameView.smallest.columns || rows < GameView.smallest.rows
    var inner = Canvas(TerminalSize(columns: columns, rows: rows))
    inner.draw(title(columns, glyphs), row: 0, column: 0)
    let keys =
      state.showsHelp
      ? KeyBar(keys: Phrases.lobbyHelpKeys, glyphs: glyphs)
      : KeyBar(keys: Phrases.lobbyKeys(glyphs), last: Phrases.lobbyLastKeys, glyphs: glyphs)
    inner.draw(keys.canvas(columns: columns), row: rows - 1, column: 0)

    let told = told ?? (isTiny ? advice : timeOfSelected(columns))
    // In full, whatever it takes from the list; one row is always left free above the keys.
    let lines = (told ?? "").wrapped(to: columns - 2).prefix(rows - 3)
    let bottom = rows - 1 - max(1, lines.count)
    for (row, line) in lines.enumerated() { inner.write(line, row: bottom + row, column: 1, style: .bold) }

    let top = rows >= 10 ? 2 : 1
    let list = TerminalSize(columns: columns, rows: max(0, bottom - top))
    inner.draw(content(list, glyphs), row: top, column: 0)
    canvas.draw(inner, row: 0, column: (canvas.size.columns - columns) / 2)
    canvas.restyle(row: 0, .reversed)
    return canvas
  }

  /// The message, or what is being typed.
  private var told: String? {
    if !state.typed.isEmpty { return "\(Phrases.typedNumber) \(state.typed)" }
    return state.notice ?? state.filter.map(Phrases.filter) ?? state.network
  }

  /// How much time the selected room gives, where there is no column for it.
  private func timeOfSelected(_ columns: Int) -> String? {
    guard columns < Widths.withTime, let index = state.selection else { return nil }
    return Phrases.timeInWords(state.rooms[index].advertisement.time)?.asSentence
  }

  private func title(_ columns: Int, _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(TerminalSize(columns: columns, rows: 1))
    let you = Phrases.you(state.name).truncated(to: columns / 2, ellipsis: glyphs.ellipsis)
    let title = "\(Phrases.game)\(glyphs.separator)\(Phrases.lobbyTitle(state.usesDirectory))"
    canvas.write(title.truncated(to: columns - you.columns - 4, ellipsis: glyphs.ellipsis), row: 0, column: 1)
    canvas.write(you, row: 0, column: columns - you.columns - 1)
    return canvas
  }

  private func content(_ size: TerminalSize, _ glyphs: Glyphs) -> Canvas {
    if state.showsHelp { return sentences(Phrases.lobbyHelp, size) }
    if !state.rooms.isEmpty { return list(size, glyphs) }
    let filter = state.filter ?? ""
    guard filter.isEmpty else { return sentences(Phrases.noRooms(like: filter), size) }
    // That more will show would be too much to promise.
    return sentences(state.network == nil ? Phrases.noRooms : Phrases.noRoomsFound, size)
  }

  private func sentences(_ texts: [String], _ size: TerminalSize) -> Canvas {
    var canvas = Canvas(size)
    for (row, line) in texts.flatMap({ $0.wrapped(to: size.columns - 4) }).enumerated() {
      canvas.write(line, row: row, column: 2)
    }
    return canvas
  }

  private func list(_ size: TerminalSize, _ glyphs: Glyphs) -> Canvas {
    var canvas = Canvas(size)
    let names = RoomNames(state.rooms)
    let places = state.rooms.allSatisfy(\.isHere) ? [] : state.rooms.map { Phrases.place(of: $0).columns }
    let longestPlace = places.isEmpty ? 0 : max(Phrases.lobbyColumns.place.columns, places.max() ?? 0)
    let titles = Phrases.lobbyColumns
    let longest = state.rooms.map { Phrases.time($0.advertisement).columns }.max() ?? 0
    let widths = Widths(
      columns: size.columns, longestName: names.all.map(\.columns).max() ?? 0,
      longestTime: longest == 0 ? 0 : max(titles.time.columns, longest), longestPlace: longestPlace)
    let head = line(
      " ", titles.number, titles.room, titles.players, titles.state, titles.time, titles.lock, titles.place, titles.host,
      titles.age, widths,
      glyphs)
    canvas.write(head, row: 0, column: 1, style: Style(color: .cyan, isBold: true))

    let selection = state.selection ?? 0
    // If not all rooms fit, the last line counts the others, and the list moves with the selection.
    let capacity = max(1, state.rooms.count <= size.rows - 1 ? size.rows - 1 : size.rows - 2)
    let first = max(0, min(selection - capacity / 2, state.rooms.count - capacity))
    let shown = state.rooms.indices.dropFirst(first).prefix(capacity)
    for (row, index) in shown.enumerated() {
      let room = state.rooms[index]
      let isSelected = index == selection
      let text = line(
        isSelected ? String(glyphs.pointer) : " ", String(index + 1), names[index],
        Phrases.players(room.advertisement), Phrases.state(room.advertisement), Phrases.time(room.advertisement),
        Phrases.lock(room.advertisement),
        Phrases.place(of: room),
        Phrases.host(of: room), Phrases.roughly(state.age(of: room, at: now)),
        widths,
        glyphs)
      let style: Style = isSelected ? .reversed : room.advertisement.hasRoom ? .plain : .dim
      canvas.write(isSelected ? text.padded(to: size.columns - 2) : text, row: row + 1, column: 1, style: style)
    }
    let below = state.rooms.count - first - shown.count
    if first + below > 0 {
      canvas.write(Phrases.moreRooms(above: first, below: below), row: size.rows - 1, column: 3, style: .dim)
    }
    return canvas
  }

  private func line(
    _ mark: String, _ number: String, _ room: String, _ players: String, _ state: String, _ time: String, _ lock: String,
    _ place: String, _ host: String, _ age: String,
    _ widths: Widths, _ glyphs: Glyphs
  ) -> String {
    func cell(_ text: String, _ width: Int) -> String {
      width > 0 ? text.truncated(to: width - 1, ellipsis: glyphs.ellipsis).padded(to: width) : ""
    }
    return "\(mark) " + cell(number, widths.number) + cell(room, widths.room) + cell(players, widths.players)
      + cell(state, widths.state) + cell(time, widths.time) + cell(lock, widths.lock) + cell(place, widths.place)
      + cell(host, widths.host) + cell(age, widths.age)
  }
}
