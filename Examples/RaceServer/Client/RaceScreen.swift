import FramedTransport
import Race
import Synchronization
import _BonjourishConsole
import _BonjourishJSONOutput

/// Shows the events of a client, as lines for people or as JSON.
final class RaceScreen: Sendable {
  private let json: Bool
  private let match = Mutex<MatchView?>(nil)

  init(json: Bool) {
    self.json = json
  }

  func show(_ event: ClientEvent) {
    for line in lines(for: event) { Output.standard.line(line) }
  }

  func reconnecting(in wait: Duration) { Output.standard.line(line(forReconnectingIn: wait)) }

  /// The lines that show an event; those about racers depend on the match that was shown last.
  func lines(for event: ClientEvent) -> [String] {
    if case .match(let view, _) = event { match.withLock { $0 = view } }
    return json ? [JSONLine.text(of: record(of: event))] : text(of: event)
  }

  func line(forReconnectingIn wait: Duration) -> String {
    json
      ? JSONLine.text(of: Record("reconnecting", seconds: (wait / .milliseconds(1)).rounded() / 1000))
      : "* There is no connection; the next attempt is in \(Int((wait / .seconds(1)).rounded(.up))) s."
  }

  private func text(of event: ClientEvent) -> [String] {
    switch event {
    case .state(let state): ["* \(state.words)"]
    case .waiting(let missing):
      [missing == 0 ? "There are enough players; the race starts soon." : "\(missing) more players needed."]
    case .match(let view, let continued):
      ["\(continued ? "You are back in the race" : "The race begins") over \(view.courseLength):"]
        + view.racers.indices.map { "  \(place(of: $0)) \(name(of: $0))" }
    case .moved(let racer, let position): ["  \(bar(position)) \(name(of: racer))"]
    case .arrived(let racer, let place): ["\(name(of: racer)) arrived, place \(place)."]
    case .presence(let racer, let presence): ["\(name(of: racer)) is \(presence.word)."]
    case .over(let ranking): ["The race is over:"] + zip(1..., ranking).map { "  \($0). \(name(of: $1))" }
    case .ended(let ending): ["* \(ending.text)"]
    }
  }

  private func racer(_ number: Int) -> MatchView.Racer? {
    match.withLock { match in match.flatMap { $0.racers.indices.contains(number) ? $0.racers[number] : nil } }
  }

  private func name(of number: Int) -> String {
    let own = match.withLock { $0.map { Int($0.own) } }
    return (racer(number)?.alias.escapedForDisplay ?? "racer \(number)") + (number == own ? " (you)" : "")
  }

  private func place(of number: Int) -> String {
    guard let racer = racer(number) else { return "" }
    return racer.place > 0 ? "arrived as number \(racer.place):" : "\(bar(Int(racer.position)))"
  }

  /// A racer's progress, as a bar.
  private func bar(_ position: Int) -> String {
    let (width, course) = (40, match.withLock { $0.map { Int($0.courseLength) } } ?? 1)
    let done = min(width, width * position / max(1, course))
    return "[" + String(repeating: "=", count: done) + String(repeating: " ", count: width - done) + "]"
  }

  // MARK: - JSON

  private func record(of event: ClientEvent) -> Record {
    switch event {
    case .state(let state): Record("state", state: state.rawValue)
    case .waiting(let missing): Record("waiting", missing: missing)
    case .match(let view, let continued): Record("match", match: view, continued: continued)
    case .moved(let racer, let position): Record("moved", racer: racer, position: position)
    case .arrived(let racer, let place): Record("arrived", racer: racer, place: place)
    case .presence(let racer, let presence): Record("presence", racer: racer, presence: presence.word)
    case .over(let ranking): Record("over", ranking: ranking)
    case .ended(let ending): Record("ended", reason: ending.code, text: ending.text)
    }
  }
}
