import Console
package import Rooms
import TwentyFour

/// A player at a terminal, or a bot: shows what happens in a room, and plays.
package struct PlayerSession: Sendable {
  private let invocation: PlayerInvocation
  /// What the room is called on the network, and its port, once that is known.
  private let place: RoomPlace?

  package init(_ invocation: PlayerInvocation, at place: RoomPlace? = nil) {
    self.invocation = invocation
    self.place = place
  }

  /// Plays until the room is closed, for us or for all.
  ///
  /// - Throws: ``Failure`` when the room ended in another way than rooms do.
  package func play(in seat: any Seat) async throws {
    let reason = await withTaskGroup(of: RoomReason?.self) { group -> RoomReason? in
      group.addTask { await show(seat) }
      if let lines = invocation.lines {
        group.addTask {
          await listen(lines, seat)
          return nil
        }
      }
      defer { group.cancelAll() }
      for await case let reason? in group { return reason }
      return nil
    }
    if let reason, let failure = Failure(reason) { throw failure }
  }

  // MARK: - Events

  /// Shows every event, lets the bot play if there is one, and returns why the room was closed.
  private func show(_ seat: any Seat) async -> RoomReason? {
    var bot = invocation.isBot ? BotPlayer(generator: invocation.generator) : nil
    var screen = EventText(own: invocation.name)
    var clock: Task<Void, Never>?
    defer { clock?.cancel() }
    for await event in seat.events {
      bot?.react(to: event, at: seat)
      if invocation.json {
        Output.standard.json(EventRecord(event: event, place: place))
      } else {
        for line in screen.lines(for: event, at: place) { Output.standard.line(line) }
      }
      switch event {
      case .round(let deal):
        clock?.cancel()
        if !invocation.json, !invocation.isBot { clock = Task { await Self.tellTime(deal.remaining) } }
      case .roundEnded:
        clock?.cancel()
      case .closed(let reason):
        return reason
      case .open, .joined, .left, .away, .back, .missing, .answer, .refused, .hint, .standings, .reconnecting, .resumed:
        continue
      }
    }
    return nil
  }

  /// Says how much time is left, a few times.
  private static func tellTime(_ remaining: Duration) async {
    let end = ContinuousClock.now + remaining
    for left in [60, 30, 10, 5] where .seconds(left) < remaining {
      do { try await Task.sleep(until: end - .seconds(left), clock: .continuous) } catch { return }
      Output.standard.line("  \(left) s left")
    }
  }

  // MARK: - The person

  private func listen(_ lines: LineReader, _ seat: any Seat) async {
    for await line in lines {
      switch line {
      case .text(let text): await obey(text, seat)
      case .tooLong(let limit): invocation.diagnostics.warning("that line has more than \(limit) bytes; write less")
      case .notText: invocation.diagnostics.warning("that line is not UTF-8; write it again")
      }
    }
    // A person who ends the input wants to go; a program started without one goes on without.
    if !Task.isCancelled, lines.isTerminal { await seat.leave() }
  }

  private func obey(_ text: String, _ seat: any Seat) async {
    switch text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased() {
    case "": return
    case "give up": await seat.giveUp()
    case "hint": await seat.hint()
    case "quit": await seat.leave()
    case "help", "?": Output.standard.line(EventText.help)
    default: await seat.answer(text)
    }
  }
}

/// What a room is called on the network, and where it listens.
package struct RoomPlace: Hashable, Sendable {
  let name: String
  let port: UInt16

  package init(name: String, port: UInt16) {
    self.name = name
    self.port = port
  }
}

/// One line of `--json`: an event, and with the first one where the room is.
private struct EventRecord: Encodable {
  let event: RoomEvent
  let place: RoomPlace?

  private enum Key: CodingKey {
    case name, port
  }

  func encode(to encoder: any Encoder) throws {
    try event.encode(to: encoder)
    guard case .open = event, let place else { return }
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(place.name, forKey: .name)
    try fields.encode(place.port, forKey: .port)
  }
}
