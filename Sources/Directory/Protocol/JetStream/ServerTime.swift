/// Points in time of a server, in nanoseconds since 1970.
package enum ServerTime {
  /// Reads a time such as `2026-11-23T00:26:50.02606271Z` (RFC 3339 in UTC), as JetStream writes it.
  ///
  /// - Returns: Nil for any other text, and for years before 1970 and after 2199.
  package static func read(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard (20...35).contains(bytes.count), bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      bytes[range].allSatisfy({ (48...57).contains($0) }) ? bytes[range].reduce(0) { $0 * 10 + Int64($1 - 48) } : nil
    }
    for (place, separator) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")] where bytes[place] != separator.utf8.first {
      return nil
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), (1970...2199).contains(year), (1...12).contains(month),
      (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    var nanoseconds: Int64 = 0
    if bytes[19] == UInt8(ascii: ".") {
      let digits = 20..<(bytes.count - 1)
      guard (1...9).contains(digits.count), let fraction = number(digits) else { return nil }
      nanoseconds = (digits.count..<9).reduce(fraction) { value, _ in value * 10 }
    } else if bytes.count != 20 {
      return nil
    }
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1_000_000_000 + nanoseconds
  }

  /// The number of days since 1970-01-01. Years begin in March here, so that the day of a leap year is the last one.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
  }
}
