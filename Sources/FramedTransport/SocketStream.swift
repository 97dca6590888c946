import EventLoop
import Glibc

/// The bytes of a connected socket, and the loop's attention to it.
///
/// The system tells once what comes. It is asked to tell again when a read has filled what it was given, or the peer has hung
/// up behind what was read; otherwise a read has taken everything (epoll(7)).
final class SocketStream: ByteStream {
  /// None when the socket is closed.
  var descriptor: CInt? { socket?.descriptor }

  private let loop: EventLoop
  @exclusivity(unchecked) private var socket: Socket?
  /// None while the descriptor is left alone.
  @exclusivity(unchecked) private var watch: DescriptorWatch?
  /// That of the watch, at hand.
  @exclusivity(unchecked) private var interest: DescriptorEvents = []
  /// Whether the peer is going to have ended its side when everything has been read.
  @exclusivity(unchecked) private var hasHungUp = false
  /// Whether the peer has ended its side, so that the system need not be asked again.
  @exclusivity(unchecked) private var hasEnded = false
  @exclusivity(unchecked) private var handler: ((DescriptorEvents) -> Void)?

  init(_ socket: consuming Socket, on loop: EventLoop) {
    self.loop = loop
    self.socket = consume socket
  }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
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
    let isBroken = !events.isDisjoint(with: [.hangUp, .error])
    var told = isBroken ? [.readable, .writable] : events
    if events.contains(.readHangUp) { told.insert(.readable) }
    if isBroken || events.contains(.readHangUp) { hasHungUp = true }
    told.formIntersection(interest)
    if !told.isEmpty { handler?(told) }
    if isBroken, let watch, interest.isEmpty {
      // These are reported again and again whether one asks or not. What they mean is found out by the next call that reads
      // or writes; until then the socket is left alone.
      watch.cancel()
      self.watch = nil
    }
  }

  func update(_ interest: DescriptorEvents) throws(SystemError) {
    if let watch {
      self.interest = interest
      watch.update(interest)
    } else if !interest.isEmpty {
      try watch(for: interest)
    }
  }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    guard !hasEnded else { return 0 }
    let count = try socket!.receive(into: &output)
    hasEnded = count == 0
    if !hasEnded, output.isFull || hasHungUp { watch?.lookAgain() }
    return count
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    try socket!.send(pieces)
  }

  func finishSending() throws(SystemError) {
    try socket!.finishSending()
  }

  func countUnacknowledgedBytes() -> Int {
    socket!.countUnacknowledgedBytes()
  }

  func close() {
    watch?.cancel(beforeClosing: true)
    watch = nil
    handler = nil
    socket = nil
  }

  func reset() {
    let socket = socket.take()
    close()
    socket?.reset()
  }
}
