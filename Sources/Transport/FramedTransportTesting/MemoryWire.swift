import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// Both directions of a link in memory, and the streams at its ends.
///
/// Sendable: created by one task and then confined to the loop, which every method asserts.
final class MemoryWire: @unchecked Sendable {
  typealias Direction = MemoryLink.Direction

  let loop: EventLoop
  private var toServer: MemoryPipe
  private var toClient: MemoryPipe
  /// The open streams.
  private var streams: [MemoryStream] = []
  private lazy var nextArrival = LoopDeadline(on: loop) { [weak self] in self?.settle() }

  init(_ conditions: MemoryLink.Conditions, on loop: EventLoop) {
    self.loop = loop
    toServer = MemoryPipe(conditions, seed: conditions.seed)
    toClient = MemoryPipe(conditions, seed: ~conditions.seed)
  }

  subscript(direction: Direction) -> MemoryPipe {
    _read {
      switch direction {
      case .toServer: yield toServer
      case .toClient: yield toClient
      }
    }
    _modify {
      switch direction {
      case .toServer: yield &toServer
      case .toClient: yield &toClient
      }
    }
  }

  func attach(_ stream: MemoryStream) {
    loop.assertIsCurrent()
    streams.append(stream)
  }

  func detach(_ stream: MemoryStream) {
    loop.assertIsCurrent()
    streams.removeAll { $0 === stream }
  }

  /// Delivers a number of bytes of one direction, even while it is held.
  func letThrough(_ byteCount: Int, _ direction: Direction) {
    loop.assertIsCurrent()
    let now = ContinuousClock.now
    follow(self[direction].arrive(at: now, atMost: byteCount), of: direction, at: now)
  }

  /// Breaks the connection for both sides at once.
  func lose(errno: CInt) {
    loop.assertIsCurrent()
    for direction in Direction.allCases {
      // As with TCP, a sender whose peer had ended in order gets EPIPE.
      let isAfterEnd = errno == ECONNRESET && self[direction.opposite].end == .orderly
      self[direction].lose(errno: errno, refusing: isAfterEnd ? EPIPE : errno)
    }
  }

  /// Delivers the bytes that are due, and signals the streams. Called after every change.
  func settle() {
    loop.assertIsCurrent()
    let now = ContinuousClock.now
    var isSettled = false
    while !isSettled {
      isSettled = true
      for direction in Direction.allCases {
        guard let consequence = self[direction].arrive(at: now) else { continue }
        follow(consequence, of: direction, at: now)
        isSettled = false
      }
    }
    nextArrival.set(Direction.allCases.compactMap { self[$0].nextArrival }.min())
    for stream in streams { stream.signal() }
  }

  private func follow(_ consequence: MemoryPipe.Consequence?, of direction: Direction, at now: MemoryPipe.Instant) {
    loop.assertIsCurrent()
    switch consequence {
    case .refused?: self[direction.opposite].reset(at: now)
    case .reset?: self[direction.opposite].refuse(errno: self[direction].end == .orderly ? EPIPE : ECONNRESET)
    case .lost(let errno)?: lose(errno: errno)
    case nil: break
    }
  }
}
