import CBonjourishLinux
import _BonjourishEventLoop

@testable import FramedTransport

/// A stream that gives and takes what the test says, and tells what the channel wants of it. Sendable: used on the loop only.
final class ScriptedStream: ByteStream, @unchecked Sendable {
  private let loop: EventLoop
  /// What the channel wanted, in order.
  var story: [String] = []
  /// What is received next. Nothing at all is the end, which stays.
  var incoming: [Result<[UInt8], SystemError>] = []
  /// How many bytes can still be sent.
  var room = Int.max
  var refusal: SystemError?
  var isWatchable = true
  var unacknowledged = 0
  /// Whether nothing arrives at the peer, and how often that was asked.
  var isCut = false
  private(set) var cutChecks = 0
  private(set) var arrivalChecks = 0
  private(set) var sendTicks: [UInt64] = []
  private(set) var sentCounts: [Int] = []
  private(set) var handler: ((DescriptorEvents) -> Void)?

  init(on loop: EventLoop) { self.loop = loop }

  private func tell(_ interest: DescriptorEvents) {
    let names = [(DescriptorEvents.readable, "reading"), (.writable, "writing")].filter { interest.contains($0.0) }.map(\.1)
    story.append("watch \(names.isEmpty ? "nothing" : names.joined(separator: " and "))")
  }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    guard isWatchable else { throw SystemError("epoll_ctl", errno: ENOMEM) }
    self.handler = handler
    tell(interest)
  }

  func update(_ interest: DescriptorEvents) throws(SystemError) {
    guard isWatchable else { throw SystemError("epoll_ctl", errno: ENOMEM) }
    tell(interest)
  }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    guard let next = incoming.first else { throw SystemError("recv", errno: EAGAIN) }
    let bytes = try next.get()
    if !bytes.isEmpty { incoming.removeFirst() }
    for byte in bytes { output.append(byte) }
    return bytes.count
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    if let refusal { throw refusal }
    let offered = pieces.reduce(0) { $0 + $1.iov_len }
    let sent = min(offered, room)
    guard sent > 0 else { throw SystemError("send", errno: EAGAIN) }
    room -= sent
    sendTicks.append(loop.tick)
    sentCounts.append(sent)
    story.append("send \(sent) of \(offered)")
    return sent
  }

  func finishSending() { story.append("end") }

  func countUnacknowledgedBytes() -> Int {
    arrivalChecks += 1
    return unacknowledged
  }

  var isInterrupted: Bool {
    cutChecks += 1
    return isCut
  }

  func close() {
    handler = nil
    story.append("close")
  }

  func reset() {
    handler = nil
    story.append("reset")
  }
}
