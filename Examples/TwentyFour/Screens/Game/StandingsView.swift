import Rooms
import TwentyFour
import _BonjourishTerminal

/// The standings.
struct StandingsView {
  let state: GameState
  let glyphs: Glyphs

  private static let statusColumns = 16
  /// The columns beside the names: the mark, the gaps, the status, the points.
  private static let otherColumns = 6 + statusColumns + Phrases.pointsColumn.columns
  /// The columns of short names.
  private static let nameColumns = 16

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    let points = Phrases.pointsColumn.columns
    let longest = state.standings.map { numbered($0).columns }.max() ?? 0
    var status = min(Self.statusColumns, max(0, size.columns - points - 14))
    // Long names get what the longest status leaves.
    if longest > size.columns - points - status - 6 {
      status = min(status, state.standings.map { Phrases.shortStatus($0).columns }.max() ?? 0)
    }
    let name = min(max(0, size.columns - points - status - 6), max(Self.nameColumns, longest))
    // In a very low window, the player's own line matters more.
    if size.rows > 1 {
      list.title("  " + Phrases.standings.padded(to: name + status + 2, ellipsis: glyphs.ellipsis) + Phrases.pointsColumn)
    }
    list.rows(state.standings, keeping: { $0.player.id == state.me?.id }) { standing in
      let isMe = standing.player.id == state.me?.id
      let style = standing.isAway ? Style.dim : isMe ? .bold : .plain
      let text =
        (isMe ? "\(glyphs.pointer) " : "  ")
        + numbered(standing, columns: name).padded(to: name, ellipsis: glyphs.ellipsis) + " "
        + Phrases.shortStatus(standing).padded(to: status, ellipsis: glyphs.ellipsis) + " "
        + String(standing.points).leftPadded(to: points, ellipsis: glyphs.ellipsis)
      return (text, standing.time == nil ? style : style.colored(.green))
    }
    if state.spectators > 0, list.left > 0 { list.line("  " + Phrases.spectators(state.spectators), .dim) }
    let advice = state.hosting != nil && state.isAlone ? Phrases.howToJoinLines : []
    if !state.isClosed, list.left > advice.count, !advice.isEmpty {
      list.skip()
      for line in advice { list.line("  " + line, .dim) }
    }
    CodesView(state: state, glyphs: glyphs).addIfThereIsRoom(to: &list)
    return list.canvas
  }

  /// The columns in which every name is shown in full, without regard to what there is room for.
  var wishedColumns: Int { Self.otherColumns + (state.standings.map { numbered($0).columns }.max() ?? 0) }

  /// The name; whoever hosts decides about players by their numbers.
  private func numbered(_ standing: Standing, columns: Int = .max) -> String {
    let number = state.hosting == nil ? "" : "\(standing.player.id) "
    return number + Phrases.name(standing, columns: columns - number.columns)
  }
}
