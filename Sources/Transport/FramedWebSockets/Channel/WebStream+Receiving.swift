import CBonjourishLinux
import FramedCoding
import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// Receiving: from the peer's frames to the channel's.
extension WebStream {
  /// The most time to hear that the peer has read why the WebSocket has failed.
  private static let failingTime = Duration.seconds(1)

  /// The time in which the app may send something after the peer's closing frame.
  private static let closingTime = Duration.seconds(2)

  var costOfReceiving: Int { isNative ? lower.costOfReceiving : max(core.budget.cost, lower.costOfReceiving) }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    if isNative {
      if held.isEmpty { return try lower.receive(into: &output) }
      let count = takeHeld(into: &output)
      try settle()
      return count
    }
    guard failure == nil else { throw Self.broken }
    guard isOpen else { throw SystemError("receive", errno: EAGAIN) }
    let before = output.count
    core.budget.begin(room: output.freeCapacity, overhead: WebSocketFrameHeader.mostBytes, in: loop.tick)
    takeWhole(into: &output)
    if whole.isEmpty {
      if !held.isEmpty {
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        read(&bytes, into: &output)
      } else if closeOfPeer == nil, !hasInputEnded {
        try receiveFromPeer(into: &output)
      }
    }
    flush()
    watchHiddenPart()
    try settle()
    if output.count > before { return output.count - before }
    if failure != nil { throw Self.broken }
    if isOpen, mayTellEnd { return 0 }
    throw SystemError("receive", errno: EAGAIN)
  }

  /// Delivers the bytes that told that the peer speaks no HTTP.
  private func takeHeld(into output: inout OutputSpan<UInt8>) -> Int {
    let count = min(held.count, output.freeCapacity)
    for byte in held[..<count] { output.append(byte) }
    held.removeFirst(count)
    if held.isEmpty { held = [] }
    return count
  }

  private func receiveFromPeer(into output: inout OutputSpan<UInt8>) throws(SystemError) {
    core.budget.isCutShort = core.budget.isSpent
    guard !core.budget.isCutShort else { return }
    var buffer = workspace.input.take()
    defer { workspace.input.give(&buffer) }
    // Not much more than there is room for, so that little is held back.
    let wanted = min(WebWorkspace.inputSize, output.freeCapacity + WebSocketFrameHeader.mostBytes, core.budget.bytes)
    var count = 0
    do throws(SystemError) {
      try buffer.append(addingCapacity: wanted) { (input) throws(SystemError) in count = try lower.receive(into: &input) }
    } catch  where error.errno == EAGAIN {
      return
    } catch {
      return fail(lower.failure ?? TransportError(error, "Reading from \(peer)"))
    }
    if count == 0 { return endInput() }
    core.budget.take(bytes: count)
    read(&buffer, into: &output)
  }

  /// Handles the end of the stream below. After the peer's closing frame, or this side's, it is in order.
  private func endInput() {
    hasInputEnded = true
    if closeOfPeer != nil || hasSentClose {
      finishLower()
      return
    }
    let attempt = "Reading from \(peer) failed: the stream ended"
    fail(
      reader.isAtBoundary
        ? TransportError(
          .reset, "\(attempt) without the closing frame of a WebSocket; connect again if the peer is still there")
        : TransportError(.truncated, "\(attempt) inside a message"))
  }

  // MARK: - Frames

  /// Reads frames, and holds back what there is no room for.
  private func read(_ bytes: inout [UInt8], into output: inout OutputSpan<UInt8>) {
    var offset = 0
    do throws(WebSocketViolation) {
      try read(bytes.span, from: &offset, into: &output)
      if offset < bytes.count { held = Array(bytes[offset...]) }
    } catch {
      refuse(error)
    }
  }

  private func read(
    _ bytes: Span<UInt8>, from offset: inout Int, into output: inout OutputSpan<UInt8>
  ) throws(WebSocketViolation) {
    while whole.isEmpty, output.freeCapacity > LengthHeader.mostBytes, isOpen, !core.budget.areStepsTaken {
      let room = fragments == nil ? output.freeCapacity - LengthHeader.mostBytes : .max
      switch try reader.next(bytes, from: &offset, room: room) {
      case .needsMore:
        return
      case .whole(let range, let mask):
        if range.isEmpty { core.budget.take(steps: 1) }
        header.write(bodySize: range.count, into: &output)
        let count = output.count
        Self.append(bytes.extracting(range), mask, to: &output)
        if isText { try reader.checkWhole(output.span.extracting(count...)) }
      case .message(let size?):
        header.write(bodySize: size, into: &output)
      case .message(nil):
        core.budget.take(steps: 1)
        fragments = []
      case .payload(let range, let mask):
        // A part of a hidden message delivers nothing yet.
        if fragments != nil || range.isEmpty { core.budget.take(steps: 1) }
        try take(bytes.extracting(range), mask, into: &output)
      case .end:
        if let body = fragments.take() {
          whole.append(addingCapacity: LengthHeader.mostBytes) { header.write(bodySize: body.count, into: &$0) }
          whole += body
          takeWhole(into: &output)
        }
      case .ping(let payload):
        core.budget.take(steps: 1)
        pong = payload
        noteLife(into: &output)
      case .pong:
        core.budget.take(steps: 1)
        noteLife(into: &output)
      case .close(let close):
        take(close)
      }
    }
  }

  /// Unmasks a part of a message to where it goes, and has it checked there.
  private func take(
    _ part: Span<UInt8>, _ mask: UInt32, into output: inout OutputSpan<UInt8>
  ) throws(WebSocketViolation) {
    if let count = fragments?.count {
      fragments?.append(addingCapacity: part.count) { Self.append(part, mask, to: &$0) }
      if let fragments { try reader.check(fragments.span.extracting(count...)) }
    } else {
      let count = output.count
      Self.append(part, mask, to: &output)
      try reader.check(output.span.extracting(count...))
    }
  }

  @inline(__always)
  private static func append(_ part: Span<UInt8>, _ mask: UInt32, to output: inout OutputSpan<UInt8>) {
    output.withUnsafeMutableBufferPointer { buffer, count in
      let target = UnsafeMutableRawPointer(buffer.baseAddress! + count)
      part.withUnsafeBytes { Masking.copy($0, to: target, mask: mask) }
      count += part.count
    }
  }

  /// Delivers as much as there is room for of a message that was put together.
  private func takeWhole(into output: inout OutputSpan<UInt8>) {
    guard !whole.isEmpty else { return }
    let count = min(whole.count - wholeStart, output.freeCapacity)
    whole.withUnsafeBytes { bytes in
      output.withUnsafeMutableBufferPointer { buffer, initialized in
        let target = UnsafeMutableRawPointer(buffer.baseAddress! + initialized)
        target.copyMemory(from: bytes.baseAddress! + wholeStart, byteCount: count)
        initialized += count
      }
    }
    wholeStart += count
    guard wholeStart == whole.count else { return }
    whole = []
    wholeStart = 0
  }

  /// Shows the channel a heartbeat: something has come from the peer.
  private func noteLife(into output: inout OutputSpan<UInt8>) {
    // A control frame may come while a message is delivered in parts only if the message is hidden, so this is between two frames.
    if hasHeartbeat { header.write(bodySize: 0, into: &output) }
  }

  // MARK: - Ends

  private func take(_ close: WebSocketClose) {
    closeOfPeer = close
    held = []
    if hasSentClose { finishLower() }
    guard close.code.isOrderly else {
      sendClose(close)
      return failSoon(.closed(by: peer, close))
    }
    guard !hasSentClose else { return }
    core.setTimer(after: Self.closingTime) {
      self.sendClose(close)
      self.flush()
      self.settleOrFail()
    }
  }

  /// Tells the peer what is wrong with its frames, and ends the stream.
  private func refuse(_ violation: WebSocketViolation) {
    sendClose(WebSocketClose(violation.code, violation.reason))
    failSoon(.violation(violation, by: peer))
  }

  /// Ends the stream when the peer has read why, or does not.
  private func failSoon(_ error: TransportError) {
    guard failure == nil else { return }
    phase = .failing(error)
    held = []
    fragments = nil
    core.setTimer(after: Self.failingTime) { self.fail(error) }
    flush()
    dropInput()
  }

  /// Limits the time for a message of which the channel sees nothing yet, as the channel does for others.
  private func watchHiddenPart() {
    guard isOpen, closeOfPeer == nil, let limit = terms.limits.frameTime else { return }
    guard reader.hasHiddenPart else {
      core.stopTimer()
      return
    }
    let count = fragments?.count ?? 0
    if core.hasTimer, count - timedCount < 64 * 1024 { return }
    timedCount = count
    core.setTimer(after: limit) {
      // While this side does not read, it is not the peer's fault.
      guard self.core.interest.contains(.readable) else { return self.watchHiddenPart() }
      self.sendClose(WebSocketClose(.policyViolation, "a message took too long"))
      self.failSoon(
        TransportError(
          .frameTimedOut, "The connection with \(self.peer) was ended because the peer did not end a message within \(limit)"))
      self.settleOrFail()
    }
  }
}
