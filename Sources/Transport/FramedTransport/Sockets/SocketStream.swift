import CBonjourishLinux
import _BonjourishEventLoop

/// The byte stream of a connected socket, and the loop's watch on it.
///
/// The watch is edge-triggered: epoll reports each event once. It is rearmed if a read has filled its buffer or the peer has hung
/// up after the bytes that were read; otherwise the read has taken everything (epoll(7)).
///
/// Confined to the loop, which every method asserts. Dynamic exclusivity checks are off because every read and write uses these
/// variables.
final class SocketStream: ByteStream {
  /// `nil` when the socket is closed.
  var descriptor: CInt? { socket?.descriptor }

  private let loop: EventLoop
  @exclusivity(unchecked) private var socket: Socket?
  /// `nil` while the descriptor is not watched.
  @exclusivity(unchecked) private var watch: DescriptorSource?
  /// The events that the watch waits for.
  @exclusivity(unchecked) private var interest: DescriptorEvents = []
  /// Whether the peer has ended its side; there may still be bytes to read before the end.
  @exclusivity(unchecked) private var hasHungUp = false
  /// Whether the end of the peer's side has been read.
  @exclusivity(unchecked) private var hasEnded = false
  @exclusivity(unchecked) private var handler: ((DescriptorEvents) -> Void)?

  init(_ socket: consuming Socket, on loop: EventLoop) {
    self.loop = loop
    self.socket = consume socket
  }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    loop.assertIsCurrent()
    do throws(SystemError) {
      try watch(for: interest)
      self.handler = handler
    } catch {
      close()
      throw error
    }
  }

  private func watch(for interest: DescriptorEvents) throws(SystemError) {
    guard let descriptor = socket?.descriptor else { return }
    watch = try loop.watch(descriptor, for: interest, edgeTriggered: true) { self.handle($0) }
    self.interest = interest
  }

  private func handle(_ events: DescriptorEvents) {
    loop.assertIsCurrent()
    let isBroken = !events.isDisjoint(with: [.hangUp, .error])
    var reported = isBroken ? [.readable, .writable] : events
    if events.contains(.readHangUp) { reported.insert(.readable) }
    if isBroken || events.contains(.readHangUp) { hasHungUp = true }
    reported.formIntersection(interest)
    if !reported.isEmpty { handler?(reported) }
    if isBroken, let watch, interest.isEmpty {
      // These events are reported again and again, whatever the interest is. The next read or write finds the error; until
      // then the socket is not watched.
      watch.cancel()
      self.watch = nil
    }
  }

  func update(_ interest: DescriptorEvents) throws(SystemError) {
    loop.assertIsCurrent()
    if let watch {
      self.interest = interest
      watch.update(interest)
    } else if !interest.isEmpty {
      try watch(for: interest)
    }
  }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    guard !hasEnded else { return 0 }
    let count = try socket!.receive(into: &output)
    hasEnded = count == 0
    if !hasEnded, output.isFull || hasHungUp { watch?.rearm() }
    return count
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    return try socket!.send(pieces)
  }

  func finishSending() throws(SystemError) {
    loop.assertIsCurrent()
    try socket!.finishSending()
  }

  func countUnacknowledgedBytes() -> Int {
    loop.assertIsCurrent()
    return socket!.countUnacknowledgedBytes()
  }

  func close() {
    loop.assertIsCurrent()
    watch?.cancel(beforeClosing: true)
    watch = nil
    handler = nil
    socket = nil
  }

  func reset() {
    loop.assertIsCurrent()
    let socket = socket.take()
    close()
    socket?.reset()
  }
}
