/// The name that the host's addresses are published under.
struct HostName {
  /// What was asked for.
  let wanted: DNSName
  /// What is used: `wanted`, or with a number once another host had it.
  private(set) var current: DNSName
  private var number = 1
  /// The links on which it is not announced yet; nil when that has been told.
  var unestablished: Set<MulticastLink>? = []

  init(wanted: DNSName) {
    self.wanted = wanted
    current = wanted
  }

  /// Takes the next number (RFC 6762 §9): `name-2`, `name-3`, …; a name too long for it is cut.
  mutating func takeNext() {
    number += 1
    unestablished = []
    let suffix = Array("-\(number)".utf8)
    var labels = wanted.labels
    guard let first = labels.first else { return }
    let room = DNSName.maximumBytes - wanted.wire.count
    var stem = first.prefix(min(DNSName.maximumLabelBytes, first.count + room) - suffix.count)
    // Not within a character.
    while stem.count < first.count, first[stem.count] & 0xC0 == 0x80 { stem = stem.dropLast() }
    labels[0] = Array(stem) + suffix
    guard let next = try? DNSName(labels: labels) else { return }
    current = next
  }
}
