import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// One end of a link in memory.
final class MemoryStream: ByteStream, TickObserver {
  private let wire: MemoryWire
  /// The direction that this end sends in.
  private let outgoing: MemoryLink.Direction
  private let core: StreamCore

  init(_ wire: MemoryWire, sending outgoing: MemoryLink.Direction) {
    self.wire = wire
    self.outgoing = outgoing
    core = StreamCore(on: wire.loop)
  }

  /// Called where the pair is created, before any event on the wire.
  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) {
    core.start(interest, handler)
    wire.attach(self)
  }

  func update(_ interest: DescriptorEvents) {
    core.update(interest)
    signal()
  }

  /// The events that hold.
  private var ready: DescriptorEvents {
    var events: DescriptorEvents = []
    if wire[outgoing.opposite].isReadable { events.insert(.readable) }
    if wire[outgoing].refusal != nil || wire[outgoing].room > 0 { events.insert(.writable) }
    return events
  }

  func signal() { core.signal(ready, self) }

  func tickEnded() {
    if core.report(ready) { signal() }
  }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    let count = try wire[outgoing.opposite].receive(into: &output)
    // The other end may have room now.
    wire.settle()
    return count
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    if let refusal = wire[outgoing].refusal { throw SystemError("send", errno: refusal) }
    let now = ContinuousClock.now
    var sent = 0
    for piece in pieces {
      let bytes = UnsafeRawBufferPointer(start: piece.iov_base, count: min(piece.iov_len, wire[outgoing].room))
      if !bytes.isEmpty { wire[outgoing].send(bytes, at: now) }
      sent += bytes.count
    }
    guard sent > 0 else { throw SystemError("send", errno: EAGAIN) }
    wire.settle()
    return sent
  }

  func finishSending() {
    wire[outgoing].finish(at: .now)
    wire.settle()
  }

  func countUnacknowledgedBytes() -> Int { wire[outgoing].outstanding }

  func close() {
    wire[outgoing].finish(at: .now)
    leave()
  }

  func reset() {
    wire[outgoing].reset(at: .now)
    leave()
  }

  private func leave() {
    core.end()
    wire[outgoing.opposite].leave()
    wire.detach(self)
    wire.settle()
  }
}
