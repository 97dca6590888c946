import _BonjourishBase
import _BonjourishDirectoryProtocol

/// Two ends of a relayed connection with a network of bad manners between them, and with programs that send and read.
struct RelayPair {
  struct Conditions {
    /// In percent.
    var loss = 0
    var duplication = 0
    var delay: ClosedRange<Int> = 1...1
    /// When nothing arrives, in milliseconds.
    var partitions: [Range<Int>] = []
    /// The most bytes that a side reads at once, and how often it reads, in milliseconds.
    var reading = Int.max
    var readingInterval = 1
  }

  struct End {
    var link: RelayLink
    /// What is to be sent.
    var toSend: Int
    var sent = 0
    var read = 0
    var unread: [UInt8] = []
    var isBroken = false
    var isClosed = false
    var isGone = false
    var isOpen = false

    /// The byte at a place of the stream that a side sends.
    static func byte(_ place: Int, from side: Int) -> UInt8 { UInt8(truncatingIfNeeded: place &* 31 &+ place >> 8 &+ side) }
  }

  enum Fault: Error { case wrongByte(Int), tooMuchKept(Int), tooMuchUnread(Int), endless }

  private struct Parcel {
    let due: Int
    let to: Int
    let bytes: [UInt8]
  }

  let beginning = ContinuousClock.now
  var time = 0
  var ends: [End]
  /// The messages that brought what had come before.
  var repetitions = 0
  private let conditions: Conditions
  private var random: SeededGenerator
  private var parcels: [Parcel] = []

  var now: ContinuousClock.Instant { beginning + .milliseconds(time) }
  var hasEnded: Bool { ends.allSatisfy { $0.isBroken || ($0.isClosed && $0.link.outstanding == 0) } }
  var isComplete: Bool { ends[0].read == ends[1].toSend && ends[1].read == ends[0].toSend }

  init(_ conditions: Conditions, toSend: (Int, Int), seed: UInt64) {
    self.conditions = conditions
    random = SeededGenerator(seed: seed)
    let (caller, host) = (RelayNumber(high: 1, low: 1), RelayNumber(high: 2, low: 2))
    let dialer = RelayLink(dialing: 7, as: caller, connection: RelayNumber(high: 3, low: 3), at: beginning)
    // Replaced when the dial arrives.
    let acceptor = RelayLink(dialing: 7, as: host, connection: RelayNumber(high: 0, low: 0), at: beginning)
    ends = [End(link: dialer, toSend: toSend.0), End(link: acceptor, toSend: toSend.1)]
    let now = beginning
    run(ends[0].link.start(at: now), of: 0)
  }

  /// Runs until both have ended, or for a time in milliseconds.
  mutating func run(for limit: Int) throws {
    let end = time + limit
    while !hasEnded, time < end {
      time += 1
      try step()
    }
  }

  private mutating func step() throws {
    let due = parcels.filter { $0.due <= time }
    parcels.removeAll { $0.due <= time }
    for parcel in due { try arrive(parcel) }
    for side in 0...1 {
      guard side == 0 || ends[1].isOpen else { continue }
      try use(side)
      if ends[side].link.nextDeadline.map({ $0 <= now }) == true { run(ends[side].link.advance(to: now), of: side) }
    }
  }

  private mutating func arrive(_ parcel: Parcel) throws {
    guard let message = RelayMessage(reading: parcel.bytes.span) else { return }
    if message.kind == .dial, !ends[1].isOpen {
      ends[1].isOpen = true
      ends[1].link = RelayLink(accepting: message, as: RelayNumber(high: 2, low: 2), at: now)
      return run(ends[1].link.start(at: now), of: 1)
    }
    guard parcel.to == 0 || ends[1].isOpen else { return }
    let payload = parcel.bytes.count - message.size
    let effects = ends[parcel.to].link.receive(message, payload: payload, at: now)
    for case .take(let skipped) in effects { ends[parcel.to].unread += parcel.bytes[(message.size + skipped)...] }
    run(effects, of: parcel.to)
    if ends[parcel.to].unread.count > RelayLink.window { throw Fault.tooMuchUnread(ends[parcel.to].unread.count) }
  }

  /// What a program does in a millisecond: reads, sends, ends.
  private mutating func use(_ side: Int) throws {
    guard !ends[side].isBroken, !ends[side].isClosed else { return }
    if time % conditions.readingInterval == 0 {
      let count = min(ends[side].unread.count, conditions.reading)
      for place in 0..<count where ends[side].unread[place] != End.byte(ends[side].read + place, from: 1 - side) {
        throw Fault.wrongByte(ends[side].read + place)
      }
      ends[side].unread.removeFirst(count)
      ends[side].read += count
      ends[side].link.consumed(count, at: now)
    }
    while ends[side].sent < ends[side].toSend, ends[side].link.room > 0 {
      let most = min(ends[side].link.room, ends[side].toSend - ends[side].sent, RelayMessage.maximumPayload)
      let count = Int.random(in: 1...most, using: &random)
      let bytes =
        ends[side].link.header(forSending: count)
        + (0..<count).map { End.byte(ends[side].sent + $0, from: side) }
      ends[side].sent += count
      run(ends[side].link.send(bytes, at: now), of: side)
    }
    if ends[side].link.isOpen, ends[side].sent == ends[side].toSend { run(ends[side].link.finish(at: now), of: side) }
    if ends[side].link.outstanding > RelayLink.window + 1 { throw Fault.tooMuchKept(ends[side].link.outstanding) }
    if ends[side].link.hasPeerFinished, ends[side].unread.isEmpty, ends[side].sent == ends[side].toSend,
      ends[side].link.outstanding == 0
    {
      ends[side].isClosed = true
      run(ends[side].link.release(at: now), of: side)
    }
  }

  private mutating func run(_ effects: [RelayLink.Effect], of side: Int) {
    for effect in effects {
      switch effect {
      case .dial(let bytes), .send(let bytes): send(bytes, to: 1 - side)
      case .ended: ends[side].isBroken = true
      case .gone: ends[side].isGone = true
      case .ignored(.duplicate): repetitions += 1
      case .take, .opened, .ignored: break
      }
    }
  }

  private mutating func send(_ bytes: [UInt8], to side: Int) {
    guard !conditions.partitions.contains(where: { $0.contains(time) }) else { return }
    for _ in 0...(Int.random(in: 0..<100, using: &random) < conditions.duplication ? 1 : 0) {
      guard Int.random(in: 0..<100, using: &random) >= conditions.loss else { continue }
      parcels.append(Parcel(due: time + .random(in: conditions.delay, using: &random), to: side, bytes: bytes))
    }
  }
}
