package import Bonjourish
package import Console
import Terminal
package import TwentyFour

/// How a program shows a player what happens, and hears what he wants.
package enum Face: Sendable {
  /// Objects for a program to read; lines, unless a bot plays.
  case json(LineReader?)
  /// Lines for a pipe, a simple terminal or a screen reader; lines, unless a bot plays.
  case lines(LineReader?)
  case screen(PlayerScreen)

  /// Whether a person sits there, who can look for another room when one is closed.
  package var isAtTerminal: Bool {
    switch self {
    case .json: false
    case .lines(let lines): lines?.isTerminal ?? false
    case .screen: true
    }
  }
}

extension PlayerInvocation {
  /// Runs a program's body with the face that fits: a screen when standard input and output are a terminal that can be drawn on,
  /// lines otherwise or when they were asked for.
  package func withFace(_ body: @escaping @Sendable (Face) async throws -> Void) async throws {
    if json { return try await body(.json(isBot ? nil : .standardInput)) }
    guard !isPlain, TerminalSession.isPossible else { return try await body(.lines(isBot ? nil : .standardInput)) }
    notices.beginScreen()
    defer { notices.endScreen() }
    try await TerminalSession.run { terminal in try await body(.screen(PlayerScreen(terminal, notices: notices))) }
  }

  /// Who plays: the name that was given or is remembered, or else that the player is asked for. Nil when he would rather not say.
  ///
  /// - Throws: ``Failure`` for wrong usage when there is nobody to ask.
  package func playerName(on face: Face) async throws(Failure) -> PlayerName? {
    if let name { return name }
    let file = RememberedName.current
    do {
      if let name = try file?.read() { return name }
    } catch {
      diagnostics.warning(Phrases.nameForgotten(error.path, error.reason))
    }
    switch face {
    case .screen(let screen):
      return await askName(on: screen)
    case .lines(let lines?) where lines.isTerminal:
      guard let name = await Self.ask(lines) else { return nil }
      remember(name)
      return name
    case .json, .lines:
      throw Failure(.usage, Phrases.missingName)
    }
  }

  /// The name of a service that a player wrote.
  package func instanceName(_ text: String) throws(Failure) -> InstanceName {
    do {
      return try InstanceName(text)
    } catch {
      throw Failure(.usage, error.message)
    }
  }

  /// Asks a player who sees a screen for his name, and remembers it.
  package func askName(on screen: PlayerScreen, instead former: PlayerName? = nil) async -> PlayerName? {
    let name = await screen.name(instead: former)
    if let name { remember(name) }
    return name
  }

  private static func ask(_ lines: LineReader) async -> PlayerName? {
    Output.standard.line(Phrases.nameQuestion)
    for await line in lines {
      guard case .text(let text) = line else { continue }
      do {
        return try PlayerName(text)
      } catch {
        Output.standard.line(error.description)
      }
    }
    return nil
  }

  private func remember(_ name: PlayerName) {
    guard let file = RememberedName.current else { return }
    do {
      try file.write(name)
    } catch {
      diagnostics.warning(Phrases.nameNotKept(error.path, error.reason))
    }
  }
}
