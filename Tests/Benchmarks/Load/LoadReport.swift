import MatchServer

/// What was measured, as JSON under the names of the properties; times are milliseconds.
struct LoadReport: Encodable {
  let rooms: Int
  let players: Int
  let rounds: Int
  /// The time between the first in a room who was told of a round, and the last.
  let startSpreadP50: Double
  let startSpreadP99: Double
  let startSpreadMax: Double
  let startsMeasured: Int
  /// The time between an answer and its acknowledgement, as the one who answered sees it.
  let acknowledgementP50: Double
  let acknowledgementP99: Double
  let acknowledgementMax: Double
  let answers: Int
  let acknowledged: Int
  /// The same while others came and were refused.
  let acknowledgementP99Before: Double
  let acknowledgementP99WhileRefusing: Double
  let acknowledgedWhileRefusing: Int
  /// Who came on top of those who play, and what they were told.
  let refused: [String: Int]
  let refusalP50: Double
  let refusalP99: Double
  /// How the matches of those who played ended.
  let endings: [String: Int]
  /// What should not have happened.
  let notes: [String: Int]
  /// How long it took until all were inside, in seconds.
  let entrySeconds: Double
  /// What the server says of itself.
  let host: ServerStatistics
  /// The memory of the server that is in use, in KiB.
  let hostResidentKiB: Int
  /// The part of one processor that the server took while all played, in per cent.
  let hostProcessorPercent: Double

  /// What is asked of a server.
  var isWithinMarks: Bool {
    startSpreadMax <= 100 && acknowledgementP99 <= 20 && acknowledgementP99WhileRefusing <= 20 && isUndisturbed
  }

  /// Whether everyone who was let in played to the end, and everyone else was told that the server is full.
  var isUndisturbed: Bool {
    endings == ["finished": rooms * players] && notes.isEmpty && answers == acknowledged
      && refused.allSatisfy { $0.key == "full" }
  }

  var text: String {
    """
    \(rooms) rooms of \(players), \(rounds) rounds, \(answers) answers; all inside after \(entrySeconds.rounded2) s
    rounds start within    \(startSpreadP50.rounded2) ms (p50), \(startSpreadP99.rounded2) (p99), \(startSpreadMax.rounded2) (max) in each room
    answers acknowledged   \(acknowledgementP50.rounded2) ms (p50), \(acknowledgementP99.rounded2) (p99), \(acknowledgementMax.rounded2) (max)
    too many came          \(refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")), told within \(refusalP50.rounded2) ms (p50), \(refusalP99.rounded2) (p99)
    meanwhile acknowledged \(acknowledgementP99WhileRefusing.rounded2) ms (p99 of \(acknowledgedWhileRefusing)), before \(acknowledgementP99Before.rounded2)
    matches ended          \(endings.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
    the server             \(hostResidentKiB / 1024) MiB, \(hostProcessorPercent.rounded2) % of a processor
    """ + notes.sorted { $0.key < $1.key }.map { "\n\($0.value) times: \($0.key)" }.joined()
  }
}

extension Double {
  fileprivate var rounded2: Double { (self * 100).rounded() / 100 }
}
