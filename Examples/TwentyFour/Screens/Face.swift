public import Bonjourish
import Names
public import TwentyFour
public import _BonjourishConsole
import _BonjourishTerminal

/// The user interface of a player's program.
public enum Face: Sendable {
  /// Writes JSON objects for a program; reads lines, unless a bot plays.
  case json(LineReader?)
  /// Writes lines for a pipe, a simple terminal or a screen reader; reads lines, unless a bot plays.
  case lines(LineReader?)
  /// Draws on a terminal.
  case screen(PlayerScreen)

  /// Whether a person at a terminal can choose another room when one is closed.
  public var isAtTerminal: Bool {
    switch self {
    case .json: false
    case .lines(let lines): lines?.isTerminal ?? false
    case .screen: true
    }
  }
}

extension Face {
  /// Asks a person for a text; nil if there is nobody to ask, or no answer.
  ///
  /// - Parameter notice: Why it is asked.
  func ask(_ question: String, notice: String? = nil) async -> String? {
    switch self {
    case .json, .lines(nil): return nil
    case .screen(let screen):
      return await screen.ask(
        TextForm(question, notice: notice?.asSentence, limit: 256) { (text) throws(TextForm<String>.Flaw) in text })
    case .lines(let lines?):
      guard lines.isTerminal else { return nil }
      if let notice { Output.standard.line(notice) }
      Output.standard.line(question)
      for await case .text(let text) in lines { return text }
      return nil
    }
  }
}

extension PlayerInvocation {
  /// Runs a program's body with the suitable interface: a screen if standard input and output are a terminal that can be drawn
  /// on, otherwise or with `--plain` lines.
  public func withFace(_ body: @escaping @Sendable (Face) async throws -> Void) async throws {
    if json { return try await body(.json(isBot ? nil : .standardInput)) }
    guard !isPlain, TerminalSession.isPossible else { return try await body(.lines(isBot ? nil : .standardInput)) }
    notices.beginScreen()
    defer { notices.endScreen() }
    try await TerminalSession.run { terminal in try await body(.screen(PlayerScreen(terminal, notices: notices))) }
  }

  /// The player's name: given, remembered or asked for; nil if the player gives none.
  ///
  /// - Throws: ``Failure`` with exit code 64 if there is no terminal to ask for a name.
  public func playerName(on face: Face) async throws(Failure) -> PlayerName? {
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

  /// Parses the name of a service.
  ///
  /// - Throws: ``Failure`` with exit code 64 if the text is not a valid name.
  public func instanceName(_ text: String) throws(Failure) -> InstanceName {
    do {
      return try InstanceName(text)
    } catch {
      throw Failure(.usage, error.message)
    }
  }

  /// Asks for the player's name on a screen and remembers it.
  public func askName(on screen: PlayerScreen, instead former: PlayerName? = nil) async -> PlayerName? {
    let name = await screen.ask(TextForm(name: former))
    if let name { remember(name) }
    return name
  }

  private static func ask(_ lines: LineReader) async -> PlayerName? {
    Output.standard.line(Phrases.nameQuestion)
    for await line in lines {
      guard case .text(let text) = line else { continue }
      do {
        return try PlayerName(typed: text)
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
