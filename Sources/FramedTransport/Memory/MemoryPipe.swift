import EventLoop
import Glibc

/// One direction of a link in memory: what is on its way, what has arrived and was not read, and how it ends.
///
/// To either end it looks as a direction of a TCP connection does. It is told the time, and does nothing by itself.
struct MemoryPipe {
  typealias Instant = ContinuousClock.Instant

  /// What comes after the last byte.
  enum End: Equatable {
    /// The sender has said that it sends no more.
    case orderly
    /// The connection is broken, for this reason.
    case broken(errno: CInt)
  }

  /// What an arrival means for the other direction.
  enum Consequence: Equatable {
    /// Bytes have come to a receiver that has gone: its system answers with a reset.
    case refused
    /// The sender has broken the connection.
    case reset
    /// The link was to be lost after these bytes.
    case lost(errno: CInt)
  }

  /// Bytes on their way, or what comes after the last.
  private struct Parcel {
    var bytes: ArraySlice<UInt8> = []
    var end: End?
    let due: Instant
  }

  private let conditions: MemoryLink.Conditions
  private var generator: SplitMix64

  private var parcels: [Parcel] = []
  /// How many bytes are in `parcels`.
  private var travelling = 0
  /// What has arrived.
  private var unread: ArraySlice<UInt8> = []
  /// What comes when so many bytes have arrived, in order.
  private var faults: [(arrived: Int, end: End)] = []
  /// Whether the receiver has closed its side.
  private var isReceiverGone = false
  /// Whether bytes vanish, because the receiver has been told of an end that was not the sender's.
  private var isVoid = false

  /// Whether nothing arrives but what is let through.
  var isHeld = false
  /// What the receiver is told after the bytes that have arrived.
  private(set) var end: End?
  /// Why the sender can send no more.
  private(set) var refusal: CInt?
  private(set) var traffic = MemoryLink.Traffic()

  init(_ conditions: MemoryLink.Conditions, seed: UInt64) {
    self.conditions = conditions
    generator = SplitMix64(state: seed)
  }

  // MARK: - For the sender

  /// How many bytes may be sent.
  var room: Int { isVoid ? .max : max(0, conditions.window - travelling - unread.count) }

  /// How many bytes have not arrived; an end counts as one.
  var outstanding: Int { travelling + (parcels.last?.end == nil ? 0 : 1) }

  /// Sends bytes, no more than there is room for.
  mutating func send(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
    traffic.sent += bytes.count
    guard !isVoid else { return }
    travelling += bytes.count
    if conditions.delay == .zero, let last = parcels.indices.last, parcels[last].end == nil {
      parcels[last].bytes += bytes
    } else {
      parcels.append(Parcel(bytes: ArraySlice(bytes), due: now + conditions.delay))
    }
  }

  /// Says that no more will be sent.
  mutating func finish(at now: Instant) {
    guard refusal == nil, !isVoid, parcels.last?.end == nil else { return }
    parcels.append(Parcel(end: .orderly, due: now + conditions.delay))
  }

  /// Breaks the connection, of which the receiver learns behind what was sent before.
  mutating func reset(at now: Instant) {
    guard refusal == nil else { return }
    refusal = ECONNRESET
    parcels.append(Parcel(end: .broken(errno: ECONNRESET), due: now + conditions.delay))
  }

  /// Takes nothing any more, and drops what has not arrived.
  mutating func refuse(errno: CInt) {
    refusal = refusal ?? errno
    dropTravelling()
  }

  // MARK: - On the way

  /// When the next bytes arrive, if nothing holds them.
  var nextArrival: Instant? { isHeld ? nil : parcels.first?.due }

  /// Lets arrive what is due.
  ///
  /// - Parameter limit: The most bytes, also of a pipe that is held; all or none when not given.
  mutating func arrive(at now: Instant, atMost limit: Int? = nil) -> Consequence? {
    var left = limit ?? (isHeld ? 0 : .max)
    while true {
      if let fault = faults.first, fault.arrived <= traffic.arrived {
        faults = []
        return strike(fault.end)
      }
      guard left > 0, let first = parcels.first, first.due <= now else { return nil }
      if let end = first.end {
        parcels.removeFirst()
        self.end = self.end ?? end
        return end == .orderly ? nil : .reset
      }
      if isReceiverGone {
        dropTravelling()
        return .refused
      }
      let count = min(left, first.bytes.count, faults.first.map { $0.arrived - traffic.arrived } ?? .max)
      unread += first.bytes.prefix(count)
      traffic.arrived += count
      travelling -= count
      left -= count
      if count == first.bytes.count {
        parcels.removeFirst()
      } else {
        parcels[0].bytes.removeFirst(count)
      }
    }
  }

  private mutating func strike(_ end: End) -> Consequence? {
    switch end {
    case .orderly:
      self.end = self.end ?? end
      isVoid = true
      dropTravelling()
      return nil
    case .broken(let errno):
      return .lost(errno: errno)
    }
  }

  /// Lets the direction end in this way as soon as so many bytes have arrived since the beginning.
  mutating func plan(_ end: End, after byteCount: Int) {
    let place = faults.firstIndex { $0.arrived > byteCount } ?? faults.count
    faults.insert((byteCount, end), at: place)
  }

  /// Breaks the connection for both sides at once.
  mutating func lose(errno: CInt, refusing refusal: CInt) {
    end = end ?? .broken(errno: errno)
    faults = []
    refuse(errno: refusal)
  }

  private mutating func dropTravelling() {
    parcels = []
    travelling = 0
  }

  // MARK: - For the receiver

  /// Whether there are bytes or an end to be had.
  var isReadable: Bool { !unread.isEmpty || end != nil }

  /// Appends bytes that have arrived, perhaps not all; returns how many, none at the end of the stream.
  mutating func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    guard !unread.isEmpty else {
      switch end {
      case nil: throw SystemError("receive", errno: EAGAIN)
      case .orderly?: return 0
      case .broken(let errno)?: throw SystemError("receive", errno: errno)
      }
    }
    var count = min(unread.count, output.freeCapacity)
    if let largest = conditions.largestPiece { count = min(count, .random(in: 1...largest, using: &generator)) }
    unread.withUnsafeBufferPointer { bytes in
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        let free = UnsafeMutableBufferPointer(rebasing: buffer[initialized...])
        initialized += free.update(fromContentsOf: bytes.prefix(count))
      }
    }
    unread.removeFirst(count)
    return count
  }

  /// Takes no more; what still comes is refused.
  mutating func leave() {
    isReceiverGone = true
    unread = []
  }
}
