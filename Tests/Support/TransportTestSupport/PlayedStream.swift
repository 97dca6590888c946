package import CBonjourishLinux
import FramedTransport
package import _BonjourishEventLoop

/// A stream that a test plays: what comes from the peer, how much room there is, and what was done with it. Confined to the loop.
package final class PlayedStream: ByteStream {
  private var handler: ((DescriptorEvents) -> Void)?
  private var unread: [UInt8] = []
  private var hasEnded = false
  package private(set) var interest: DescriptorEvents = []
  /// The bytes that may still be sent.
  package var room = Int.max
  /// The error of what is sent from now on.
  package var refusal: CInt?
  package var unacknowledged = 0
  package private(set) var sent: [UInt8] = []
  /// How it was ended, in order.
  package private(set) var ends: [String] = []

  package init() {}

  package func arrive(_ bytes: [UInt8]) {
    unread += bytes
    tell(.readable)
  }

  package func end() {
    hasEnded = true
    tell(.readable)
  }

  /// Tells of the events that are waited for.
  package func tell(_ events: DescriptorEvents) {
    let events = events.intersection(interest)
    if !events.isEmpty { handler?(events) }
  }

  package func takeSent() -> [UInt8] {
    defer { sent = [] }
    return sent
  }

  // MARK: - ByteStream

  package func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    self.interest = interest
    self.handler = handler
  }

  package func update(_ interest: DescriptorEvents) throws(SystemError) { self.interest = interest }

  package func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    if unread.isEmpty, hasEnded { return 0 }
    guard !unread.isEmpty else { throw SystemError("receive", errno: EAGAIN) }
    let count = min(unread.count, output.freeCapacity)
    for byte in unread[..<count] { output.append(byte) }
    unread.removeFirst(count)
    return count
  }

  package func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    if let refusal { throw SystemError("send", errno: refusal) }
    var count = 0
    for piece in pieces {
      let bytes = UnsafeRawBufferPointer(start: piece.iov_base, count: min(piece.iov_len, room))
      sent += bytes
      room -= bytes.count
      count += bytes.count
    }
    guard count > 0 else { throw SystemError("send", errno: EAGAIN) }
    return count
  }

  package func finishSending() throws(SystemError) { ends.append("finished") }
  package func countUnacknowledgedBytes() -> Int { unacknowledged }

  package func close() {
    ends.append("closed")
    handler = nil
  }

  package func reset() {
    ends.append("reset")
    handler = nil
  }
}
