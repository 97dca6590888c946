import _BonjourishBase

@testable import _BonjourishDirectoryProtocol

/// A machine with a clock of its own.
struct OwnershipBench {
  var machine: Ownership
  var now = ContinuousClock.now
  private var revision: UInt64 = 1_000
  private var sequence: UInt64 = 0

  init(_ limits: Ownership.Limits = .init()) {
    machine = Ownership(owner: 7, in: Region("world")!, of: Bucket("b")!, limits: limits)
  }

  /// Connects, with a lease, to a directory without values.
  mutating func begin() {
    let lease = machine.start(at: now).compactMap(\.leaseNumber)[0]
    _ = stored(lease, 5)
    _ = machine.listed(1, .done(["num_pending": 0]), at: now)
  }

  /// Creates a value of one byte, 1.
  mutating func own(_ name: String, revision: UInt64 = 6) {
    if !machine.holdsLease(at: now) { begin() }
    let write = put(name, [1]).first(where: \.isValue)!
    _ = stored(write.number!, revision)
  }

  /// Puts a value whose version is its byte.
  mutating func put(_ name: String, _ bytes: [UInt8]) -> [Ownership.Effect] {
    machine.put(name, bytes, version: UInt64(bytes[0]), at: now)
  }

  mutating func stored(_ number: UInt64, _ revision: UInt64) -> [Ownership.Effect] {
    machine.answered(number, .stored(revision), at: now)
  }

  mutating func found(_ number: UInt64, _ reading: Ownership.Reading) -> [Ownership.Effect] {
    machine.found(number, reading, at: now)
  }

  /// Lets time pass, deadline by deadline. Nothing is answered.
  mutating func pass(_ time: Duration) -> [Ownership.Effect] {
    let end = now + time
    var effects: [Ownership.Effect] = []
    while let next = machine.nextDeadline, next <= end {
      now = max(now, next)
      effects += machine.advance(to: now)
    }
    now = end
    return effects
  }

  /// Lets time pass with a server that confirms leases, tells them, and sends heartbeats.
  ///
  /// - Parameter tells: Whether the watch keeps up.
  mutating func passRenewing(_ time: Duration, listing: UInt64 = 1, tells: Bool = true) -> [Ownership.Effect] {
    let end = now + time
    var effects: [Ownership.Effect] = []
    while now < end {
      let step = pass(min(.milliseconds(250), end - now))
      effects += step
      for number in step.compactMap(\.leaseNumber) {
        revision += 1
        effects += stored(number, revision)
        if tells { effects += see("world.owner.0000000000000007", owner: 7, revision: revision, listing: listing) }
      }
      effects += beat(listing: listing)
    }
    return effects
  }

  /// A heartbeat of the server.
  mutating func beat(listing: UInt64 = 1) -> [Ownership.Effect] {
    machine.received(DirectoryMessage(status: 100, headers: ["Nats-Last-Consumer": "\(sequence)"]), listing, at: now)
  }

  /// A message of the watch.
  mutating func see(
    _ key: String, owner: UInt64?, revision: UInt64 = 1, isDeletion: Bool = false, listing: UInt64 = 1, lease: String? = nil
  ) -> [Ownership.Effect] {
    sequence += 1
    var headers: [String: String] = isDeletion ? ["KV-Operation": "DEL"] : [:]
    headers["Bonjourish-Owner"] = owner?.digits
    headers["Bonjourish-Lease"] = lease
    let message = DirectoryMessage(
      subject: "$KV.b.\(key)", reply: "$JS.ACK.KV_b.c.1.\(revision).\(sequence).\(1_795_393_610_000_000_000 + revision).0",
      headers: headers)
    return machine.received(message, listing, at: now)
  }

  /// Begins another listing.
  mutating func restart() { sequence = 0 }
}

extension Ownership.Effect {
  var number: UInt64? {
    switch self {
    case .put(let number, _, _, _, _), .read(let number, _), .renew(let number, _, _): number
    default: nil
    }
  }

  var isValue: Bool { if case .put(_, let key, _, _, _) = self { key.hasPrefix("world.value.") } else { false } }
  var isRead: Bool { if case .read = self { true } else { false } }
  var isChange: Bool { if case .changed = self { true } else { false } }
  var written: [UInt8]? { if case .put(_, _, let bytes, _, _) = self { bytes } else { nil } }
  var expected: UInt64? { if case .put(_, _, _, _, let expected) = self { expected } else { nil } }

  var leaseNumber: UInt64? { if case .renew(let number, _, _) = self { number } else { nil } }

  var isHealth: Bool {
    switch self {
    case .usable, .unusable: true
    default: false
    }
  }
}
