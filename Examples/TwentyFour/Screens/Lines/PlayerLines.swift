import Bonjourish
import FramedSecurity
import Rooms
import Synchronization
import TwentyFour
import _BonjourishConsole
import _BonjourishJSONOutput

/// A room in lines: each event is a JSON object, or some lines for a person; the player writes lines.
struct PlayerLines: Sendable {
  let invocation: PlayerInvocation
  let name: PlayerName
  let place: RoomPlace?
  let isHost: Bool
  let isJSON: Bool
  let lines: LineReader?

  /// Shows a room and lets the player, or a bot, play in it, until it is closed.
  ///
  /// - Returns: The reason why the room was closed; nil if the task was cancelled before.
  func play(in seat: any Seat, bot: BotPlayer?) async -> RoomReason? {
    let company = Company(name, isHost: seat is RoomHost && asks)
    // Writing may wait for a reader, which the thread of the signals must not do.
    let (interrupts, interrupt) = AsyncStream.makeStream(of: Void.self)
    return await Program.offeringInterrupts {
      let isTaken = company.takesInterrupt()
      if isTaken { interrupt.yield() }
      return isTaken
    } while: {
      await play(in: seat, bot, company, interrupts)
    }
  }

  /// Whether a question would be seen by a person: a program that reads JSON means what it writes and signals.
  private var asks: Bool { !isJSON && lines?.isTerminal == true }

  private func play(
    in seat: any Seat, _ bot: BotPlayer?, _ company: Company, _ interrupts: AsyncStream<Void>
  ) async -> RoomReason? {
    await withTaskGroup(of: RoomReason?.self) { group in
      group.addTask { await show(seat, bot, company) }
      group.addTask {
        for await _ in interrupts { Output.standard.line(Phrases.closeQuestion(company.others)) }
        return nil
      }
      if let lines {
        group.addTask {
          await listen(lines, seat, company)
          return nil
        }
      }
      defer { group.cancelAll() }
      for await case let reason? in group { return reason }
      return nil
    }
  }

  // MARK: - Events

  private func show(_ seat: any Seat, _ bot: BotPlayer?, _ company: Company) async -> RoomReason? {
    var bot = bot
    var text = EventLines(
      own: name, isHost: isHost, isNumbered: seat is RoomHost, isPractice: seat is PracticeRoom)
    var clock: Task<Void, Never>?
    defer { clock?.cancel() }
    for await event in seat.events {
      bot?.react(to: event, at: seat)
      company.see(event)
      if isJSON {
        Output.standard.json(EventRecord(event: event, place: place))
      } else {
        for line in text.lines(for: event, at: place) { Output.standard.line(line) }
      }
      switch event {
      case .round(let deal):
        clock?.cancel()
        if !isJSON, !invocation.isBot, deal.isLimited { clock = Task { await Self.tellTime(deal.remaining) } }
      case .roundEnded, .reconnecting:
        clock?.cancel()
      case .closed(let reason):
        return reason
      default:
        continue
      }
    }
    return nil
  }

  /// Writes the time left, a few times in a round.
  private static func tellTime(_ remaining: Duration) async {
    let end = ContinuousClock.now + remaining
    for left in [60, 30, 10, 5] where .seconds(left) < remaining {
      do { try await Task.sleep(until: end - .seconds(left), clock: .continuous) } catch { return }
      Output.standard.line("  \(Phrases.timeLeft(left))")
    }
  }

  // MARK: - The person

  private func listen(_ lines: LineReader, _ seat: any Seat, _ company: Company) async {
    for await line in lines {
      switch line {
      case .text(let text) where company.isAsking:
        company.isAsking = false
        if Phrases.isYes(text) { await seat.leave() }
      // A person, who may have hit the wrong key; a program means what it writes.
      case .text(let text) where asks && PlayerCommand(text) == .quit && seat is RoomHost && company.others > 0:
        company.isAsking = true
        Output.standard.line(Phrases.closeQuestion(company.others))
      case .text(let text): await obey(text, seat, company)
      case .tooLong(let limit): invocation.diagnostics.warning(Phrases.lineTooLong(limit))
      case .notText: invocation.diagnostics.warning(Phrases.lineNotText)
      }
    }
    // The end of the input means that a person leaves; a program may have been started without input.
    guard !Task.isCancelled else { return }
    if lines.isTerminal { return await seat.leave() }
    invocation.diagnostics.warning(Phrases.inputOfPlayerEnded(isHost: isHost))
  }

  private func obey(_ text: String, _ seat: any Seat, _ company: Company) async {
    if let host = seat as? RoomHost, let rule = HostRule(text) { return await host.decide(rule) }
    switch PlayerCommand(text) {
    case .none: return
    case .quit: await seat.leave()
    case .help: Output.standard.line(Phrases.help(isPractice: seat is PracticeRoom))
    // A program gets the room's own refusal.
    case .unknown(let sentence):
      if isJSON { await seat.act(.answer(text)) } else { Output.standard.line("  \(sentence)") }
    // The lines have already shown these.
    case .table, .tries: return
    case .time, .standings, .codes:
      if isJSON { return await seat.act(.answer(text)) }
      for line in EventLines.answer(to: PlayerCommand(text), company, isNumbered: isHost) { Output.standard.line(line) }
    case .act(let action): await seat.act(action)
    }
  }
}

/// A line of `--json`: an event; the first event includes the room's place.
private struct EventRecord: Encodable {
  let event: RoomEvent
  let place: RoomPlace?

  private enum Key: CodingKey {
    case name, port, passcode, key, link, web
  }

  func encode(to encoder: any Encoder) throws {
    try event.encode(to: encoder)
    guard case .open = event, let place else { return }
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(place.name, forKey: .name)
    try fields.encode(place.port, forKey: .port)
    try fields.encodeIfPresent(place.passcode, forKey: .passcode)
    try fields.encodeIfPresent(place.link?.key.description, forKey: .key)
    try fields.encodeIfPresent(place.link?.description, forKey: .link)
    try fields.encodeIfPresent(place.web?.first, forKey: .web)
  }
}
