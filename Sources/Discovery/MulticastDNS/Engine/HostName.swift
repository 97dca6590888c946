import _BonjourishDiscovery

/// The name under which the host's addresses are published.
struct HostName {
  /// The requested name.
  let wanted: DNSName
  let scope: MulticastEngine.ScopeID?
  /// Whether addresses are published under the name.
  let hasAddresses: Bool
  /// The name in use: `wanted`, with a number or random text if another host has that name.
  private(set) var current: DNSName
  /// Whether the name has a ``RandomSuffix``, so that its records are published as shared ones.
  private(set) var isAssured = false
  private var conflicts = 0
  private var number = 1
  private var numbers = AlternativeNumbers()
  /// The links on which the name is not announced yet; nil after `established` was reported.
  var unestablished: Set<MulticastLink>? = []

  init(wanted: DNSName, scope: MulticastEngine.ScopeID?, hasAddresses: Bool = true) {
    self.wanted = wanted
    self.scope = scope
    self.hasAddresses = hasAddresses
    current = wanted
  }

  /// Notes that the name is established.
  mutating func settle() {
    unestablished = nil
    numbers = AlternativeNumbers()
  }

  /// Takes another number (RFC 6762 §9): `name-2`, `name-3`, and so on, random ones after more conflicts, and a ``RandomSuffix`` in
  /// the end. A name that is too long is shortened.
  mutating func takeNext(using random: inout some RandomNumberGenerator) {
    conflicts += 1
    isAssured = conflicts >= RandomSuffix.conflictLimit
    if !isAssured { number += numbers.nextStep(using: &random) }
    unestablished = []
    let suffix = Array((isAssured ? "-\(RandomSuffix.make(using: &random))" : "-\(number)").utf8)
    var labels = wanted.labels
    guard let first = labels.first else { return }
    let room = DNSName.maximumBytes - wanted.wire.count
    var stem = first.prefix(min(DNSName.maximumLabelBytes, first.count + room) - suffix.count)
    // Do not cut inside a UTF-8 character.
    while stem.count < first.count, first[stem.count] & 0xC0 == 0x80 { stem = stem.dropLast() }
    labels[0] = Array(stem) + suffix
    guard let next = try? DNSName(labels: labels) else { return }
    current = next
  }
}
