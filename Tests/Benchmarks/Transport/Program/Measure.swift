/// What a client can measure.
enum Measure: String, CaseIterable, Sendable {
  /// How many messages go to the server in a second.
  case oneWay = "one-way"
  /// How long a message takes there and back.
  case pingPong = "ping-pong"
  /// How long a broadcast takes until all have it, and what many idle clients cost.
  case fanOut = "fan-out"
  /// How many connections in a second are accepted, say hello and close.
  case accept
}

/// What came of a measure: a line for people, or an object for programs.
protocol Figures: Encodable, Sendable, CustomStringConvertible {}

extension Double {
  /// With so many digits after the point.
  func text(_ digits: Int = 0) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = Int((magnitude * scale).rounded())
    let whole = "\(scaled / Int(scale))"
    let sign = self < 0 ? "-" : ""
    guard digits > 0 else { return sign + whole }
    let fraction = "\(scaled % Int(scale))"
    return sign + whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
  }
}
