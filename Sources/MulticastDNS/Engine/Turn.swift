/// One call of the engine: when it happens, and what comes out of it.
struct Turn {
  /// What a link tells the engine, which sees all links.
  enum Report {
    /// Those who answer at once have answered on the link.
    case settled(MulticastEngine.QueryID)
    /// The owner's records are announced on the link.
    case established(RecordOwner)
    /// Somebody else on the link has a name of the owner's.
    case lost(RecordOwner, DNSName)
  }

  let now: Instant
  var random: SeededGenerator
  var effects: [MulticastEngine.Effect] = []
  var reports: [(link: MulticastLink, report: Report)] = []

  init(now: Instant, random: SeededGenerator) {
    self.now = now
    self.random = random
  }

  /// A moment so many milliseconds from now, evenly spread over the range.
  mutating func moment(in milliseconds: ClosedRange<Int64>) -> Instant {
    let microseconds = Int64.random(in: (milliseconds.lowerBound * 1000)...(milliseconds.upperBound * 1000), using: &random)
    return Instant(microseconds: now.microseconds + microseconds)
  }
}

/// Whose records they are.
enum RecordOwner: Hashable {
  /// The addresses of the host under its name.
  case host
  case registration(MulticastEngine.RegistrationID)
}
