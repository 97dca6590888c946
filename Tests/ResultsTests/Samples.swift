import Foundation
import Results
import TestSupport
import TwentyFour

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
