/// The results of matches.
extension Phrases {
  public enum Results {
    public static let none = "no results yet"
    /// The name under which the matches of a player's room are recorded.
    public static func room(_ host: String) -> String { "\(host)'s game" }
    public static let noMatches = "no matches yet"
    /// The heads of the columns, whose widths are 5, 8, 8, 8, 10 and 9; the last one is open.
    public static let columns = "place  points  solved  rounds      best  matches  player"
    public static let withoutKey = "no key"
    public static func seconds(_ text: String) -> String { "\(text) s" }
    /// - Parameter ended: When the match ended, in ISO 8601.
    public static func match(_ ended: String, _ room: String, rounds: Int) -> String {
      "\(ended)  \(room), \(rounds) \(rounds == 1 ? "round" : "rounds")"
    }
    /// - Parameter points: A number, padded to its column.
    public static func score(_ points: String, _ name: String) -> String { "\(points) points  \(name)" }
    public static func noneIn(_ file: String) -> String {
      "there are no results in \(file); record some with --record, or give another results file"
    }
    public static func noFolder(for file: String, _ reason: String) -> String {
      "cannot make the folder for \(file): \(reason); give --results FILE"
    }
    public static func notRecorded(_ reason: String) -> String { "results are not recorded at present: \(reason)" }
    public static let recordedAgain = "results are recorded again"
  }
}
