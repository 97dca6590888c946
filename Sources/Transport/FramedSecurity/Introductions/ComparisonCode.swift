/// Six digits that two people compare to be sure that nobody sits between their programs.
///
/// Both programs show the same digits if they share one encrypted channel. Somebody in between has a channel with each of them, and
/// the digits of both are the same in one of a million attempts only: each side chooses its part of them before it knows the
/// other's (a commitment, as in Bluetooth's numeric comparison), so that no key and no number can be searched for that fits.
public struct ComparisonCode: Hashable, Sendable, CustomStringConvertible {
  /// The size of each side's random part, and of the commitment to it, in bytes.
  static let partSize = 32

  /// The six digits, such as `047113`.
  public let digits: String

  /// The digits in two groups, such as `047 113`.
  public var description: String { "\(digits.prefix(3)) \(digits.suffix(3))" }

  init(_ binding: ChannelBinding, client: [UInt8], server: [UInt8]) {
    let hash = binding.value(for: "comparison code", CPace.joined(client, server)).exposed
    let number = hash.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) } % 1_000_000
    let text = String(number)
    digits = String(repeating: "0", count: 6 - text.utf8.count) + text
  }

  /// The commitment to a part, which does not reveal it.
  static func commitment(_ binding: ChannelBinding, to part: [UInt8]) -> [UInt8] {
    Array(binding.value(for: "comparison commitment", part).exposed.prefix(partSize))
  }
}
