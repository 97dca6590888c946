import CBonjourishLinux

/// A time of the wall clock, in milliseconds since 1970.
struct WallTime {
  let milliseconds: Int

  /// The time some time ago.
  static func now(before delay: Duration) -> WallTime {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return WallTime(milliseconds: time.tv_sec * 1_000 + time.tv_nsec / 1_000_000 - Int(delay / .milliseconds(1)))
  }

  /// The local time of day, such as `13:40:01.123`.
  var timeOfDay: String {
    var (seconds, fields) = (parts.seconds, tm())
    localtime_r(&seconds, &fields)
    return Self.time(fields, parts.milliseconds)
  }

  /// The local time of day in seconds since midnight.
  var secondOfDay: Int {
    var (seconds, fields) = (parts.seconds, tm())
    localtime_r(&seconds, &fields)
    return Int(fields.tm_hour) * 3_600 + Int(fields.tm_min) * 60 + Int(fields.tm_sec)
  }

  /// Date and time in UTC, such as `2026-11-22T12:40:01.123Z` (RFC 3339).
  var timestamp: String {
    var (seconds, fields) = (parts.seconds, tm())
    gmtime_r(&seconds, &fields)
    let date = [Int(fields.tm_year) + 1_900, Int(fields.tm_mon) + 1, Int(fields.tm_mday)]
    return "\(date.map { Self.padded($0, 2) }.joined(separator: "-"))T\(Self.time(fields, parts.milliseconds))Z"
  }

  private var parts: (seconds: time_t, milliseconds: Int) {
    let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return rest < 0 ? (seconds - 1, rest + 1_000) : (seconds, rest)
  }

  private static func time(_ fields: tm, _ milliseconds: Int) -> String {
    let time = [fields.tm_hour, fields.tm_min, fields.tm_sec].map { padded(Int($0), 2) }.joined(separator: ":")
    return "\(time).\(padded(milliseconds, 3))"
  }

  private static func padded(_ number: Int, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.count)) + digits
  }
}
