import Rooms
import Terminal
import TwentyFour

/// The standings.
struct StandingsView {
  let state: GameState
  let glyphs: Glyphs

  private static let statusColumns = 16
  /// The columns of short names.
  private static let nameColumns = 16

  func canvas(_ size: TerminalSize) -> Canvas {
    var list = ListCanvas(size, glyphs)
    let points = Phrases.pointsColumn.columns
    let status = min(Self.statusColumns, max(0, size.columns - points - 14))
    let longest = state.standings.map { numbered($0).columns }.max() ?? 0
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
        + numbered(standing).padded(to: name, ellipsis: glyphs.ellipsis) + " "
        + Phrases.shortStatus(standing).padded(to: status, ellipsis: glyphs.ellipsis) + " "
        + String(standing.points).leftPadded(to: points, ellipsis: glyphs.ellipsis)
      return (text, standing.time == nil ? style : style.colored(.green))
    }
    return list.canvas
  }

  /// The name; whoever hosts decides about players by their numbers.
  private func numbered(_ standing: Standing) -> String {
    (state.hosting == nil ? "" : "\(standing.player.id) ") + Phrases.name(standing)
  }
}
