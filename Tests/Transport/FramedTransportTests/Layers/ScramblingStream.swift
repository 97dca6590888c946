import CBonjourishLinux
import TestSupport
import _BonjourishBase
import _BonjourishEventLoop

@testable import FramedTransport

/// A layer that does to the bytes below a channel what one that encrypts would do, without its mathematics.
///
/// A body is turned around by as many places as its key says. It begins with a greeting in both directions, without which neither can scramble. It cuts what it sends into records of
/// its own, which no read need meet; asks for new keys in the midst of everything, and then neither reads nor sends before
/// both sides have them; and ends with a goodbye, without which an end is an error.
final class ScramblingStream: ByteStream, TickObserver {
  private enum Kind: UInt8 {
    case greeting = 1
    case bytes
    case renewal
    case renewed
    case goodbye
  }

  /// The most that is held of what has not left.
  private static let mostHeld = 8 * 1024

  /// How many records of bytes may follow each other before the keys are renewed.
  private static let recordsForOneKey = 50

  private let lower: any ByteStream
  private let core: StreamCore
  private var generator: SeededGenerator
  /// Whether something has happened below since something was told above.
  private var hasNews = false

  private var sendingKey: UInt8
  private var receivingKey: UInt8?
  private var recordsSent = 0
  private var isRenewing = false
  /// Records that have not left.
  private var held: [UInt8] = []
  /// Records that have come, perhaps the last of them in part.
  private var records: [UInt8] = []
  /// What was in them and has not been taken.
  private var plain: ArraySlice<UInt8> = []

  private var isFinishing = false
  private var hasFinished = false
  private var hasEnded = false
  private var failure: SystemError?

  /// How often it has been told above that there is something to read while nothing had come from below.
  private(set) var toldOfRest = 0
  private(set) var renewals = 0

  init(over lower: any ByteStream, on loop: EventLoop, seed: UInt64) {
    self.lower = lower
    core = StreamCore(on: loop)
    generator = SeededGenerator(seed: seed)
    sendingKey = generator.bytes(count: 1)[0] | 1
  }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    core.start(interest, handler)
    held += [Kind.greeting.rawValue, 0, 1, sendingKey]
    try lower.start([.readable, .writable]) { self.handleLower($0) }
  }

  func update(_ interest: DescriptorEvents) throws(SystemError) {
    core.update(interest)
    try settle()
  }

  // MARK: - Between below and above

  private var ready: DescriptorEvents {
    if failure != nil { return [.readable, .writable] }
    var events: DescriptorEvents = []
    if !plain.isEmpty || mayTellEnd { events.insert(.readable) }
    if canSend { events.insert(.writable) }
    return events
  }

  private var canSend: Bool { receivingKey != nil && !isRenewing && !isFinishing && held.count < Self.mostHeld }
  private var mayTellEnd: Bool { hasEnded && (hasFinished || !isFinishing) }

  private func handleLower(_ events: DescriptorEvents) {
    hasNews = true
    failing { () throws(SystemError) in
      if events.contains(.writable) { try flush() }
      if events.contains(.readable) { try fill() }
    }
    failing(settle)
  }

  private func failing(_ body: () throws(SystemError) -> Void) {
    do throws(SystemError) {
      try body()
    } catch {
      failure = failure ?? error
    }
  }

  /// Waits below for what is needed there or here, and tells what there is already.
  private func settle() throws(SystemError) {
    guard core.isStarted else { return }
    var needed: DescriptorEvents = []
    if failure == nil {
      let mustRead = receivingKey == nil || isRenewing
      let mayRead = core.interest.contains(.readable) && plain.count < 1_000
      if !hasEnded, mustRead || mayRead { needed.insert(.readable) }
      if !held.isEmpty { needed.insert(.writable) }
    }
    try lower.update(needed)
    core.signal(ready, self)
  }

  func tickEnded() {
    let events = ready
    if !events.isDisjoint(with: core.interest) {
      if !plain.isEmpty, !hasNews { toldOfRest += 1 }
      hasNews = false
    }
    if core.report(events) { failing(settle) }
  }

  /// Sends records in pieces of any size.
  private func flush() throws(SystemError) {
    while !held.isEmpty {
      let count = min(held.count, generator.number(in: 1..<2_000))
      do throws(SystemError) {
        let sent = try withPiece(of: count) { (piece) throws(SystemError) in try lower.send(piece) }
        held.removeFirst(sent)
        if sent < count { return }
      } catch  where error.errno == EAGAIN {
        return
      }
    }
    if isFinishing, !hasFinished {
      hasFinished = true
      try lower.finishSending()
    }
  }

  /// Shows the first bytes that are held as a stream takes them.
  private func withPiece(
    of count: Int, _ body: (UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int
  ) throws(SystemError) -> Int {
    try held.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      let pieces = UnsafeMutableBufferPointer<iovec>.allocate(capacity: 1)
      defer { pieces.deallocate() }
      pieces.initialize(repeating: iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: count))
      return try body(pieces)
    }
  }

  /// Takes what has come below, in pieces of any size, and answers what has to be answered before more can be taken.
  private func fill() throws(SystemError) {
    var count = 0
    do throws(SystemError) {
      try records.append(addingCapacity: generator.number(in: 1..<2_000)) { (output) throws(SystemError) in
        count = try lower.receive(into: &output)
      }
    } catch  where error.errno == EAGAIN {
      return
    }
    if count == 0, !hasEnded { throw SystemError("unscramble", errno: ECONNRESET) }
    try open()
    try flush()
  }

  /// Takes complete records apart.
  private func open() throws(SystemError) {
    while records.count >= 3 {
      let end = 3 + Int(records[1]) << 8 + Int(records[2])
      guard records.count >= end else { return }
      guard let kind = Kind(rawValue: records[0]) else { throw SystemError("unscramble", errno: EBADMSG) }
      let body = records[3..<end]
      switch kind {
      case .greeting: receivingKey = body.first
      case .bytes:
        // Turned back, as far as it was turned forth.
        let turn = body.count - Int(receivingKey ?? 0) % body.count
        plain += body.dropFirst(turn) + body.prefix(turn)
      case .renewal:
        receivingKey = body.first
        held += [Kind.renewed.rawValue, 0, 0]
      case .renewed:
        isRenewing = false
        renewals += 1
      case .goodbye: hasEnded = true
      }
      records.removeFirst(end)
    }
  }

  // MARK: - For those above

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    if plain.isEmpty, !hasEnded, failure == nil { failing(fill) }
    guard !plain.isEmpty else {
      if let failure { throw failure }
      try settle()
      if mayTellEnd { return 0 }
      throw SystemError("unscramble", errno: EAGAIN)
    }
    let count = min(plain.count, output.freeCapacity, generator.number(in: 1..<2_000))
    plain.withUnsafeBufferPointer { bytes in
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        initialized += UnsafeMutableBufferPointer(rebasing: buffer[initialized...]).update(fromContentsOf: bytes.prefix(count))
      }
    }
    plain.removeFirst(count)
    try settle()
    return count
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    if let failure { throw failure }
    var sent = 0
    for piece in pieces {
      // More than is ever taken need not be looked at.
      let count = min(piece.iov_len, Self.mostHeld)
      var bytes = ArraySlice(UnsafeRawBufferPointer(start: piece.iov_base, count: count))
      while !bytes.isEmpty, canSend {
        let body = bytes.prefix(generator.number(in: 1..<500))
        scramble(body)
        bytes.removeFirst(body.count)
        sent += body.count
      }
    }
    try flush()
    try settle()
    if sent == 0 { throw SystemError("scramble", errno: EAGAIN) }
    return sent
  }

  private func scramble(_ body: ArraySlice<UInt8>) {
    held += [Kind.bytes.rawValue, UInt8(body.count >> 8), UInt8(body.count & 0xFF)]
    let turn = Int(sendingKey) % body.count
    held += body.dropFirst(turn)
    held += body.prefix(turn)
    recordsSent += 1
    guard recordsSent == Self.recordsForOneKey else { return }
    recordsSent = 0
    isRenewing = true
    sendingKey = sendingKey &* 5 | 1
    held += [Kind.renewal.rawValue, 0, 1, sendingKey]
  }

  func finishSending() throws(SystemError) {
    isFinishing = true
    held += [Kind.goodbye.rawValue, 0, 0]
    try flush()
    try settle()
  }

  func countUnacknowledgedBytes() -> Int {
    held.count + (hasFinished ? 0 : 1) + lower.countUnacknowledgedBytes()
  }

  func close() {
    core.end()
    if held.isEmpty { lower.close() } else { lower.reset() }
  }

  func reset() {
    core.end()
    lower.reset()
  }
}
