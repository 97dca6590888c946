import Race

/// A line of `--json`.
struct Record: Encodable {
  /// A racer at the time of the record.
  struct Racer: Encodable {
    let alias: String
    let position: Int32
    let place: Int32?
    let presence: String
  }

  private let event: String
  private var state: String?
  private var missing: Int?
  private var course: Int32?
  private var own: UInt8?
  private var racers: [Racer]?
  private var continued: Bool?
  private var racer: Int?
  private var position: Int?
  private var place: Int?
  private var presence: String?
  private var ranking: [Int]?
  private var seconds: Double?
  private var reason: String?
  private var text: String?

  init(_ event: String, state: String) { (self.event, self.state) = (event, state) }

  init(_ event: String, missing: Int) { (self.event, self.missing) = (event, missing) }

  init(_ event: String, match: MatchView, continued: Bool) {
    (self.event, self.continued) = (event, continued)
    (course, own) = (match.courseLength, match.own)
    racers = match.racers.map {
      Racer(
        alias: $0.alias, position: $0.position, place: $0.place > 0 ? $0.place : nil, presence: $0.presence.word)
    }
  }

  init(_ event: String, racer: Int, position: Int) { (self.event, self.racer, self.position) = (event, racer, position) }

  init(_ event: String, racer: Int, place: Int) { (self.event, self.racer, self.place) = (event, racer, place) }

  init(_ event: String, racer: Int, presence: String) { (self.event, self.racer, self.presence) = (event, racer, presence) }

  init(_ event: String, ranking: [Int]) { (self.event, self.ranking) = (event, ranking) }

  init(_ event: String, seconds: Double) { (self.event, self.seconds) = (event, seconds) }

  init(_ event: String, reason: String, text: String) { (self.event, self.reason, self.text) = (event, reason, text) }
}
