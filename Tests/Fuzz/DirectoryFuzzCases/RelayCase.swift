import FuzzCases
import _BonjourishDirectoryProtocol

/// What the other side of a relayed connection, or whoever knows its number, may send; and what a program does meanwhile.
struct RelayCase {
  private static let id = RelayNumber(high: 1, low: 2)

  private var now = ContinuousClock.now
  private var link: RelayLink
  private var unread = 0
  private var isGone = false
  private var bytes: ArraySlice<UInt8>

  /// - Parameter bytes: What happens. The first one says which side this is.
  private init(_ bytes: [UInt8]) {
    self.bytes = bytes.dropFirst()
    if (bytes.first ?? 0) & 1 == 0 {
      link = RelayLink(dialing: 5, as: RelayNumber(high: 3, low: 4), connection: Self.id, at: now)
    } else {
      let dial = RelayMessage(
        .dial, isFromDialer: true, of: Self.id, offset: 5, limit: 100_000, address: RelayNumber(high: 5, low: 6))
      link = RelayLink(accepting: dial, as: RelayNumber(high: 3, low: 4), at: now)
    }
  }

  static func run(_ bytes: [UInt8]) throws(Violation) {
    if let message = RelayMessage(reading: bytes.span) {
      let again = message.bytes() + bytes.dropFirst(message.size)
      try Violation.unless(
        again.count == bytes.count && RelayMessage(reading: again.span) == message, "a message is written anew")
    }
    var relay = RelayCase(bytes)
    try relay.follow(relay.link.start(at: relay.now))
    while let step = relay.bytes.popFirst() { try relay.step(step) }
  }

  private mutating func number() -> UInt64 {
    guard let byte = bytes.popFirst() else { return 0 }
    switch byte >> 6 {
    case 0: return UInt64(byte)
    case 1: return UInt64(byte & 63) * 4_096
    case 2: return UInt64(byte & 63) * 4_096 + 255
    default: return .max - UInt64(byte & 63)
    }
  }

  private mutating func step(_ step: UInt8) throws(Violation) {
    switch step & 7 {
    case 0, 1: try receive(step)
    case 2:
      let count = min(link.room, Int(step >> 3) * 1_024 + 1, RelayMessage.maximumPayload)
      guard count > 0 else { return }
      try follow(link.send(link.header(forSending: count) + [UInt8](repeating: 0, count: count), at: now))
    case 3:
      let count = min(unread, Int(step >> 3) * 1_024)
      unread -= count
      link.consumed(count, at: now)
    case 4:
      now += .milliseconds(250 * Int(step >> 3))
      // Whatever is due leads to something later.
      for _ in 0..<4 where link.nextDeadline.map({ $0 <= now }) == true { try follow(link.advance(to: now)) }
      try Violation.unless(link.nextDeadline.map { $0 > now } ?? true, "a deadline that does not pass")
    case 5: try follow(link.finish(at: now))
    case 6: try follow(step >> 3 & 1 == 0 ? link.reconnected(at: now) : link.nobodyListens(at: now))
    default: try follow(step >> 3 & 1 == 0 ? link.release(at: now) : link.abandon(at: now))
    }
    try Violation.unless((0...RelayLink.window).contains(link.room), "room for \(link.room) bytes")
    try Violation.unless((0...(RelayLink.window + 1)).contains(link.outstanding), "\(link.outstanding) bytes are kept")
    try Violation.unless(unread <= RelayLink.window, "\(unread) bytes wait to be read")
    try Violation.unless(!isGone || link.nextDeadline == nil, "a forgotten connection waits")
  }

  private mutating func receive(_ step: UInt8) throws(Violation) {
    guard let kind = RelayMessage.Kind(rawValue: (step >> 3) % 6) else { return }
    let flags = RelayMessage.Flags(rawValue: bytes.popFirst() ?? 0)
    let isLong = kind == .dial || kind == .accept
    let message = RelayMessage(
      kind, isFromDialer: (link.side == .acceptor) != (flags.rawValue == 255), of: Self.id, flags: flags,
      reason: kind == .reset ? .reset : nil, offset: number(), acknowledged: number(), limit: number(),
      address: isLong ? RelayNumber(high: 5, low: UInt64(flags.rawValue & 3) + 5) : nil)
    let count = kind == .data ? Int(min(number(), UInt64(RelayMessage.maximumPayload))) : 0
    let effects = link.receive(message, payload: count, at: now)
    for case .take(let skipped) in effects {
      try Violation.unless((0..<count).contains(skipped), "more is skipped than has come")
      unread += count - skipped
    }
    try follow(effects)
  }

  private mutating func follow(_ effects: [RelayLink.Effect]) throws(Violation) {
    for effect in effects {
      switch effect {
      case .dial(let bytes), .send(let bytes):
        let message = RelayMessage(reading: bytes.span)
        try Violation.unless(message?.isFromDialer == (link.side == .dialer), "a message that the other side does not read")
      case .gone: isGone = true
      case .take, .opened, .ended, .ignored: break
      }
    }
  }
}
