import TwentyFour
import _BonjourishConsole
import _BonjourishTerminal

/// A player's screen: the form for a text, the lobby, or a game.
public struct PlayerScreen: Sendable {
  let terminal: TerminalSession
  let notices: Notices
  /// The origin of all times on the screen.
  private let origin = ContinuousClock.now

  init(_ terminal: TerminalSession, notices: Notices) {
    self.terminal = terminal
    self.notices = notices
  }

  var glyphs: Glyphs { terminal.appearance.glyphs }

  var now: Duration { ContinuousClock.now - origin }

  /// Asks for a text; returns nil if the player gives none.
  func ask<Answer>(_ form: TextForm<Answer>) async -> Answer? {
    let scene = Scene(form, on: self) { form, _, size, appearance in
      form.draw(size: size, appearance: appearance)
    }
    await scene.redraw()
    for await input in terminal.inputs {
      switch input {
      case .key(.control("l")): await scene.repaint()
      case .key(let key):
        switch await scene.change({ form, _ in form.press(key) }) {
        case .answer(let answer): return answer
        case .cancelled: return nil
        case nil: continue
        }
      case .resized: await scene.redraw()
      case .ended: return nil
      }
    }
    return nil
  }
}

/// A state on the screen, drawn again after each change and as time passes.
actor Scene<State: Sendable> {
  private(set) var state: State
  private let screen: PlayerScreen
  private let draw: @Sendable (State, Duration, TerminalSize, Appearance) -> Canvas

  init(
    _ state: State, on screen: PlayerScreen,
    _ draw: @escaping @Sendable (State, Duration, TerminalSize, Appearance) -> Canvas
  ) {
    self.state = state
    self.screen = screen
    self.draw = draw
  }

  /// Changes the state at the time of the screen's clock, and shows it.
  func change<Result: Sendable>(_ body: @Sendable (inout State, Duration) -> Result) -> Result {
    defer { redraw() }
    return body(&state, screen.now)
  }

  func redraw() {
    screen.terminal.show(draw(state, screen.now, screen.terminal.size, screen.terminal.appearance))
  }

  /// Paints everything again.
  func repaint() {
    screen.terminal.forget()
    redraw()
  }

  /// Draws at an interval, because time changes the picture; returns when the task is cancelled.
  func passTime(every interval: Duration) async {
    while (try? await Task.sleep(for: interval)) != nil { redraw() }
  }
}
