import Foundation
import TestSupport
import TwentyFour

@testable import Results

extension TemporaryFolder {
  /// The path of a file of results in it.
  var file: String { path + "/results.sqlite" }

  func bytes() throws -> Data { try Data(contentsOf: URL(filePath: file)) }

  func write(_ bytes: Data) throws { try bytes.write(to: URL(filePath: file)) }
}

extension MatchRecord {
  /// A match of two, of whom the first is better.
  static func sample(
    _ id: String = "one", rounds: Int = 3, names: [String] = ["Ada", "Bob"], keys: [String?] = [],
    at time: Int = 1_000
  )
    -> MatchRecord
  {
    MatchRecord(
      id: id, room: "Ada's game", began: WallTime(milliseconds: time), ended: WallTime(milliseconds: time + rounds * 100),
      rounds: rounds,
      scores: names.enumerated().map { index, name in
        Score(
          player: PlayerID(rawValue: index + 1), name: name, key: keys.indices.contains(index) ? keys[index] : nil,
          points: 15 * rounds / (index + 1), rounds: rounds,
          solved: rounds / (index + 1), best: index == 0 ? .milliseconds(12_340) : nil)
      })
  }
}

extension RoundRecord {
  /// All rounds of a match in one, as in results of earlier versions.
  init(_ match: MatchRecord) {
    self.init(
      match: match.id, room: match.room, began: match.began, hasEnd: true, number: 1, ended: match.ended, scores: match.scores)
    count = match.rounds
  }

  /// One round of a match, which the first of the players has solved.
  static func sample(
    _ number: Int, of match: String = "one", room: String = "One", hasEnd: Bool = true, points: Int = 15,
    names: [String] = ["Ada", "Bob"], at time: Int? = nil
  ) -> RoundRecord {
    RoundRecord(
      match: match, room: room, began: WallTime(milliseconds: 1_000), hasEnd: hasEnd, number: number,
      ended: WallTime(milliseconds: time ?? 1_000 + number * 100),
      scores: names.enumerated().map { index, name in
        MatchRecord.Score(
          player: PlayerID(rawValue: index + 1), name: name, points: index == 0 ? points : 0, rounds: 1,
          solved: index == 0 ? 1 : 0, best: index == 0 ? .seconds(20 - points) : nil)
      })
  }
}

extension ResultStore {
  nonisolated func record(_ match: MatchRecord) { record(RoundRecord(match)) }
}
