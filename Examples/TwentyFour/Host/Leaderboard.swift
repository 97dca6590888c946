import Bonjourish
import Foundation
import FramedTransport
import Results
import Screens
import _BonjourishConsole
import _BonjourishJSONOutput

/// `twentyfour-host --leaderboard` and `--history`.
enum LeaderboardMode {
  static let flag = Option.flag("leaderboard", Phrases.Options.leaderboard)
  static let history = Option.flag("history", Phrases.Options.history)
  static let order = Option.optional(
    "by", "WHAT", ValueFormat<Leaderboard.Order>.anyCase, default: .points,
    Phrases.Options.order)
  static let limit = Option.optional(
    "limit", "N", .integer(in: 1...1_000_000), default: 20, Phrases.Options.limit)
  static let json = Option.flag("json", Phrases.Options.json)

  static let command = Command(
    "twentyfour-host", summary: Phrases.Commands.results,
    options: [flag, history, order, limit, ResultsPlace.readFile, json], exclusive: [[flag, history]],
    examples: [
      .init("twentyfour-host --leaderboard", Phrases.Commands.best),
      .init("twentyfour-host --leaderboard --by best --results evening.sqlite", Phrases.Commands.fastest),
    ],
    manual: Manual(options: notes))

  static func run(_ arguments: Arguments) async throws {
    let path = ResultsPlace.path(arguments)
    try await show(arguments, of: [path]) { () throws(ResultError) in try await ResultStore.open(reading: path) }
  }

  /// Shows the results of a store, made of these files, as the arguments ask for.
  static func show(
    _ arguments: Arguments, of paths: [String], _ open: () async throws(ResultError) -> ResultStore
  ) async throws(Failure) {
    do throws(ResultError) {
      let store = try await open()
      let (limit, json) = (arguments[limit], arguments[json])
      if arguments[history] {
        show(try await store.history(limit: limit), as: json)
      } else {
        show(try await store.leaderboard(by: arguments[order], limit: limit), as: json)
      }
      try await store.close()
    } catch {
      if error.code == .cannotOpen, let missing = paths.first(where: { !FileManager.default.fileExists(atPath: $0) }) {
        throw Failure(
          .unavailable,
          Phrases.Results.noneIn(missing.escapedForDisplay))
      }
      throw Failure(error)
    }
  }

  // MARK: - The best

  private static func show(_ leaderboard: Leaderboard, as json: Bool) {
    guard !json else { return leaderboard.lines.forEach { Output.standard.json(LineRecord($0)) } }
    guard !leaderboard.lines.isEmpty else { return Output.standard.line(Phrases.Results.none) }
    // The names come last, because their widths differ.
    Output.standard.line(Phrases.Results.columns)
    for line in leaderboard.lines {
      let numbers = [
        padded("\(line.rank).", 5), padded("\(line.points)", 8), padded("\(line.solved)", 8), padded("\(line.rounds)", 8),
        padded(line.best.map(seconds) ?? "-", 10), padded("\(line.matches)", 9),
      ]
      Output.standard.line("\(numbers.joined())  \(leaderboard.shownName(line).escapedForDisplay)")
    }
  }

  private struct LineRecord: Encodable {
    let rank: Int
    let player: String
    let key: String?
    let points: Int
    let solved: Int
    let rounds: Int
    let best: Double?
    let matches: Int

    init(_ line: Leaderboard.Line) {
      rank = line.rank
      player = line.name
      key = line.key
      points = line.points
      solved = line.solved
      rounds = line.rounds
      best = line.best.map { $0 / .seconds(1) }
      matches = line.matches
    }
  }

  // MARK: - The latest

  private static func show(_ matches: [MatchRecord], as json: Bool) {
    guard !json else { return matches.forEach { Output.standard.json(HistoryRecord($0)) } }
    guard !matches.isEmpty else { return Output.standard.line(Phrases.Results.noMatches) }
    for match in matches {
      Output.standard.line(
        Phrases.Results.match(text(match.ended), match.room.escapedForDisplay, rounds: match.rounds))
      for score in match.scores.sorted(by: { ($1.points, $0.player) < ($0.points, $1.player) }) {
        Output.standard.line(Phrases.Results.score(padded("\(score.points)", 8), score.name.escapedForDisplay))
      }
    }
  }

  private struct HistoryRecord: Encodable {
    struct Score: Encodable {
      let player: String
      let key: String?
      let points: Int
      let solved: Int
      let rounds: Int
      let best: Double?
    }

    let match: String
    let room: String
    let began: String
    let ended: String
    let rounds: Int
    let scores: [Score]

    init(_ record: MatchRecord) {
      match = record.id
      room = record.room
      began = LeaderboardMode.text(record.began)
      ended = LeaderboardMode.text(record.ended)
      rounds = record.rounds
      scores = record.scores.map {
        Score(
          player: $0.name, key: $0.key, points: $0.points, solved: $0.solved, rounds: $0.rounds,
          best: $0.best.map { $0 / .seconds(1) })
      }
    }
  }

  // MARK: - Texts

  /// A point in time in the format of ISO 8601, in UTC.
  private static func text(_ time: WallTime) -> String {
    Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000).formatted(.iso8601)
  }

  private static func seconds(_ duration: Duration) -> String {
    let hundredths = Int((duration / .milliseconds(10)).rounded())
    let rest = hundredths % 100
    return Phrases.Results.seconds("\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)")
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

extension Leaderboard {
  /// The name of a line, with the beginning of the key if somebody else has the same name.
  fileprivate func shownName(_ line: Line) -> String {
    guard lines.count(where: { $0.name == line.name }) > 1 else { return line.name }
    return "\(line.name) (\(line.key.map { String($0.prefix(9)) } ?? Phrases.Results.withoutKey))"
  }
}
