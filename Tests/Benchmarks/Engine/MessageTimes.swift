import CBonjourishLinux
import _BonjourishConsole
import _BonjourishMulticastDNS

/// How long it takes to parse and to write one message that another program has made.
enum MessageTimes {
  private static let times = 20_000

  /// Tells the nanoseconds for the message of these hexadecimal digits, the median of nine rounds.
  static func tell(_ digits: String) throws {
    let bytes = parsed(digits)
    let message = try DNSMessage(parsing: bytes)
    Output.standard.line("records \(message.answers.count + message.authorities.count + message.additionals.count)")
    var sum = 0
    let parsing = try median {
      for _ in 0..<times { sum += try DNSMessage(parsing: bytes).additionals.count }
    }
    let writing = try median {
      for _ in 0..<times { sum += message.written().count }
    }
    Output.standard.line("parse_nanoseconds \(parsing)")
    Output.standard.line("write_nanoseconds \(writing)")
    // The sum keeps the work from being left out.
    precondition(sum > 0, "the message must not be empty")
  }

  private static func median(_ round: () throws -> Void) throws -> Int {
    let rounds = try (0..<9).map { _ in try ContinuousClock().measure { try round() } }
    return Int(rounds.sorted()[4] / .nanoseconds(1)) / times
  }

  private static func parsed(_ digits: String) -> [UInt8] {
    var rest = Array(digits.utf8)[...]
    var bytes: [UInt8] = []
    while rest.count >= 2 {
      guard let byte = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else { break }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
