import Rooms
import _BonjourishConsole
import _BonjourishTerminal

extension PlayerScreen {
  /// Shows the rooms until the player chooses something.
  ///
  /// - Parameters:
  ///   - lobby: The state of the lobby, kept from one visit to the next.
  ///   - status: Why rooms may be missing.
  ///   - browse: Calls a closure with the rooms whenever they have changed.
  /// - Returns: The player's choice; nil if the task was cancelled.
  func choose(
    _ lobby: inout LobbyState,
    _ status: NetworkStatus,
    _ browse: @escaping @Sendable (_ changed: @escaping @Sendable ([DiscoveredRoom]) async -> Void) async throws -> Void
  ) async throws -> LobbyState.Wish? {
    let scene = Scene(lobby, on: self) { state, now, size, appearance in
      LobbyView(state: state, now: now).draw(size: size, appearance: appearance)
    }
    await scene.redraw()
    let wish = try await withThrowingTaskGroup(of: LobbyState.Wish?.self) { group -> LobbyState.Wish? in
      group.addTask {
        try await browse { rooms in await scene.change { state, now in state.see(rooms, at: now) } }
        return nil
      }
      group.addTask { await hear(scene) }
      group.addTask {
        await scene.passTime(every: .seconds(1))
        return nil
      }
      group.addTask {
        while let notice = await notices.next() { await scene.change { state, _ in state.notice = notice.asSentence } }
        return nil
      }
      group.addTask {
        for await sentence in status.changes { await scene.change { state, _ in state.network = sentence?.asSentence } }
        return nil
      }
      defer { group.cancelAll() }
      for try await case let wish? in group { return wish }
      return nil
    }
    lobby = await scene.state
    return wish
  }

  /// Shows the lobby with a message about a longer operation.
  func tell(_ text: String, in lobby: inout LobbyState) {
    lobby.notice = text
    terminal.show(LobbyView(state: lobby, now: now).draw(size: terminal.size, appearance: terminal.appearance))
  }

  /// Shows only a message about a longer operation.
  func tell(_ text: String) {
    var canvas = Canvas(terminal.size)
    for (row, line) in text.asSentence.wrapped(to: max(1, canvas.size.columns - 2)).enumerated() {
      canvas.write(line, row: row, column: 1)
    }
    terminal.show(canvas)
  }

  /// Reads keys until the player has chosen; returns `quit` if the terminal is gone.
  private func hear(_ scene: Scene<LobbyState>) async -> LobbyState.Wish {
    for await input in terminal.inputs {
      switch input {
      case .resized: await scene.redraw()
      case .ended: return .quit
      case .key(let key):
        switch await scene.change({ state, _ in state.press(key) }) {
        case .repaint: await scene.repaint()
        case let wish?: return wish
        case nil: continue
        }
      }
    }
    return .quit
  }
}
