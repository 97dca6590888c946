import CBonjourishLinux
import FramedTransport
import _BonjourishBase
import _BonjourishEventLoop

/// One direction of a link in memory: the bytes on their way, the bytes that have arrived and were not read, and the end.
///
/// Each side sees it as a direction of a TCP connection. It has no clock: the caller passes the time.
struct MemoryPipe {
  typealias Instant = ContinuousClock.Instant

  /// The end of the direction, after the last byte.
  enum End: Equatable {
    /// The sender has ended its side.
    case orderly
    /// The connection is broken, with this error.
    case broken(errno: CInt)
  }

  /// The effect of an arrival on the other direction.
  enum Consequence: Equatable {
    /// Bytes have arrived at a receiver that has closed: its system answers with a reset.
    case refused
    /// The sender has broken the connection.
    case reset
    /// The link is lost after these bytes, as planned.
    case lost(errno: CInt)
  }

  /// Bytes on their way, or the end.
  private struct Parcel {
    var bytes: ArraySlice<UInt8> = []
    var end: End?
    let due: Instant
  }

  private let conditions: MemoryLink.Conditions
  private var generator: SeededGenerator

  private var parcels: [Parcel] = []
  /// The number of bytes in `parcels`.
  private var travelling = 0
  /// The bytes that have arrived.
  private var unread: ArraySlice<UInt8> = []
  /// The planned ends, by the number of arrived bytes.
  private var faults: [(arrived: Int, end: End)] = []
  /// Whether the receiver has closed its side.
  private var isReceiverGone = false
  /// Whether bytes are dropped, because a planned end has replaced the sender's.
  private var isVoid = false

  /// Whether bytes arrive only when they are let through.
  var isHeld = false
  /// The end that the receiver sees after the bytes that have arrived.
  private(set) var end: End?
  /// The error of further sending; nil while sending is possible.
  private(set) var refusal: CInt?
  private(set) var traffic = MemoryLink.Traffic()

  init(_ conditions: MemoryLink.Conditions, seed: UInt64) {
    self.conditions = conditions
    generator = SeededGenerator(seed: seed)
  }

  // MARK: - For the sender

  /// The number of bytes that may be sent.
  var room: Int { isVoid ? .max : max(0, conditions.window - travelling - unread.count) }

  /// The number of bytes that have not arrived; an end counts as one.
  var outstanding: Int { travelling + (parcels.last?.end == nil ? 0 : 1) }

  /// Sends bytes, at most `room`.
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

  /// Sends an orderly end.
  mutating func finish(at now: Instant) {
    guard refusal == nil, !isVoid, parcels.last?.end == nil else { return }
    parcels.append(Parcel(end: .orderly, due: now + conditions.delay))
  }

  /// Breaks the connection; the receiver sees the error after the bytes that were sent before.
  mutating func reset(at now: Instant) {
    guard refusal == nil else { return }
    refusal = ECONNRESET
    parcels.append(Parcel(end: .broken(errno: ECONNRESET), due: now + conditions.delay))
  }

  /// Accepts no more bytes, and drops those that have not arrived.
  mutating func refuse(errno: CInt) {
    refusal = refusal ?? errno
    dropTravelling()
  }

  // MARK: - On the way

  /// The time at which the next bytes arrive; nil while they are held.
  var nextArrival: Instant? { isHeld ? nil : parcels.first?.due }

  /// Delivers the bytes that are due.
  ///
  /// - Parameter limit: The most bytes, even if the pipe is held; by default all, or none if it is held.
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

  /// Plans an end after a number of bytes that have arrived since the start.
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

  /// Whether there are bytes or an end to read.
  var isReadable: Bool { !unread.isEmpty || end != nil }

  /// Appends bytes that have arrived, perhaps not all, and returns their number; 0 at the end of the stream.
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

  /// Closes the receiver's side; bytes that still arrive are refused.
  mutating func leave() {
    isReceiverGone = true
    unread = []
  }
}
