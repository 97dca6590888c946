import CBonjourishLinux
import FramedCoding
import FramedTransport
import _BonjourishEventLoop
import _FramedWebProtocol

/// Sending: from the channel's frames to those of the WebSocket.
extension WebStream {
  /// The size in bytes from which a server's payload is sent from where it is. A client's is always copied, because it is masked.
  private static let directSize = 8 * 1024

  /// The room for a pong and for the header of a frame.
  private static let headerRoom = 131 + WebSocketFrameHeader.mostBytes

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    if isNative { return try lower.send(pieces) }
    try checkSending()
    var cursor = PieceCursor(pieces)
    var isFull = false
    while !isFull, cursor.rest != nil { isFull = sendOn(&cursor) }
    return try conclude(cursor.count)
  }

  private func conclude(_ count: Int) throws(SystemError) -> Int {
    try settle()
    if let sendError { throw sendError }
    guard count > 0 else { throw SystemError("send", errno: EAGAIN) }
    return count
  }

  private func checkSending() throws(SystemError) {
    guard failure == nil else { throw Self.broken }
    if let sendError { throw sendError }
    // After its close frame this side sends nothing, so what the app still has is refused as after the peer's end.
    if isOpen, hasSentClose, !isFinishing { throw SystemError("send", errno: EPIPE) }
    guard maySend else { throw SystemError("send", errno: EAGAIN) }
  }

  /// Sends as much as one call takes; returns whether there is no more room below.
  private func sendOn(_ cursor: inout PieceCursor) -> Bool {
    let (gathered, direct) = gather(&cursor)
    let byteCount = gathered + (direct?.count ?? 0)
    guard byteCount > 0 else { return false }
    let sent = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
      vectors.initializeElement(at: 0, to: iovec(iov_base: workspace.output.baseAddress, iov_len: gathered))
      vectors.initializeElement(
        at: 1, to: iovec(iov_base: UnsafeMutableRawPointer(mutating: direct?.baseAddress), iov_len: direct?.count ?? 0))
      return sendLower(
        UnsafeMutableBufferPointer(rebasing: gathered == 0 ? vectors[1...] : vectors[..<(direct == nil ? 1 : 2)]))
    }
    let ofDirect = max(0, sent - gathered)
    cursor.advance(by: ofDirect)
    outgoing.left -= ofDirect
    if sent < gathered, sendError == nil { output = Array(UnsafeRawBufferPointer(rebasing: workspace.output[sent..<gathered])) }
    return sent < byteCount
  }

  /// Puts frames together in the workspace.
  ///
  /// - Returns: The number of bytes there, and a large part of a payload to be sent after them, which the cursor has not passed.
  private func gather(_ cursor: inout PieceCursor) -> (Int, UnsafeRawBufferPointer?) {
    let space = UnsafeMutableRawBufferPointer(rebasing: workspace.output[..<WebWorkspace.outputSize(role)])
    var count = 0
    while let rest = cursor.rest {
      guard outgoing.left > 0 else {
        guard space.count - count >= Self.headerRoom else { break }
        if outgoing.isAtBoundary, let payload = pong.take() {
          for byte in WebSocketFrameHeader.control(.pong, payload, mask: nextMask()) {
            space[count] = byte
            count += 1
          }
        }
        if hasUsualLengths, outgoing.isAtBoundary {
          let taken = gatherWhole(rest, to: space, &count)
          cursor.advance(by: taken)
          if taken > 0 { continue }
        }
        guard let size = outgoing.readLength(&cursor, prefix) else { break }
        outgoing.mask = nextMask() ?? 0
        outgoing.left = size
        let isPing = size == 0 && hasHeartbeat
        let header = WebSocketFrameHeader(
          isPing ? .ping : opcode, length: UInt64(size), mask: role == .client ? outgoing.mask : nil)
        count += Self.write(header, to: UnsafeMutableRawBufferPointer(rebasing: space[count...]))
        continue
      }
      let part = UnsafeRawBufferPointer(rebasing: rest[..<min(rest.count, outgoing.left)])
      if role == .server, part.count >= Self.directSize { return (count, part) }
      let size = min(part.count, space.count - count)
      guard size > 0 else { break }
      Masking.copy(
        UnsafeRawBufferPointer(rebasing: part[..<size]), to: space.baseAddress! + count, mask: outgoing.mask)
      count += size
      cursor.advance(by: size)
      outgoing.left -= size
      outgoing.mask = outgoing.mask.mask(after: size)
    }
    return (count, nil)
  }

  /// Puts the small frames together that are whole in a piece, by far the most frequent case.
  ///
  /// - Returns: The number of bytes of these frames.
  private func gatherWhole(
    _ piece: UnsafeRawBufferPointer, to space: UnsafeMutableRawBufferPointer, _ count: inout Int
  ) -> Int {
    guard let source = piece.baseAddress, let target = space.baseAddress else { return 0 }
    let first = 0x80 | opcode.rawValue
    let isMasked = role == .client
    var offset = 0
    while piece.count - offset >= 4 {
      let size = Int(UInt32(bigEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      guard size < 126, size > 0, size <= piece.count - offset - 4, space.count - count >= size + Self.headerRoom else { break }
      let mask = isMasked ? workspace.nextMask() : 0
      target.storeBytes(of: first, toByteOffset: count, as: UInt8.self)
      target.storeBytes(of: UInt8(truncatingIfNeeded: size) | (isMasked ? 0x80 : 0), toByteOffset: count + 1, as: UInt8.self)
      count += 2
      if isMasked {
        target.storeBytes(of: mask.littleEndian, toByteOffset: count, as: UInt32.self)
        count += 4
      }
      Masking.copy(UnsafeRawBufferPointer(start: source + offset + 4, count: size), to: target + count, mask: mask)
      count += size
      offset += 4 + size
    }
    return offset
  }

  @inline(__always)
  static func write(_ header: WebSocketFrameHeader, to space: UnsafeMutableRawBufferPointer) -> Int {
    let place = UnsafeMutableBufferPointer(
      start: space.baseAddress?.assumingMemoryBound(to: UInt8.self), count: WebSocketFrameHeader.mostBytes)
    var output = OutputSpan(buffer: place, initializedCount: 0)
    header.write(into: &output)
    return output.finalize(for: place)
  }

  /// A mask for a client's frame; `nil` for a server's.
  private func nextMask() -> UInt32? { role == .client ? workspace.nextMask() : nil }

  // MARK: - Groups

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>, sharing forms: BatchForms) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    if isNative { return try lower.send(pieces) }
    guard role == .server, maySend, outgoing.isAtBoundary, pong == nil else { return try send(pieces) }
    let form: WebBatch
    if let made = forms.form as? WebBatch {
      guard made.opcode == opcode, made.hasHeartbeat == hasHeartbeat else { return try send(pieces) }
      form = made
    } else {
      form = WebBatch(pieces, opcode, prefix, hasHeartbeat: hasHeartbeat)
      forms.form = form
    }
    let sent = form.withVector { sendLower($0) }
    let (count, frameEnd) = form.taken(sent)
    // The rest of a frame that has left in part stays here.
    if sent < frameEnd { output = Array(form.bytes[sent..<frameEnd]) }
    return try conclude(count)
  }

  // MARK: - Below

  /// Sends as much as there is room for. After an error nothing more is sent, and the reader finds out how the stream has ended.
  private func sendLower(_ pieces: UnsafeMutableBufferPointer<iovec>) -> Int {
    do throws(SystemError) {
      return try lower.send(pieces)
    } catch  where error.errno == EAGAIN {
    } catch {
      sendError = error
    }
    return 0
  }

  /// Sends what must leave before all others, and control frames if they may leave now.
  func flush() {
    loop.assertIsCurrent()
    guard failure == nil else { return }
    flushOutput()
    // After the rest of a frame: no other event need come for a pong that had to wait for that.
    if isFlushed, outgoing.isAtBoundary, let payload = pong.take() {
      output = WebSocketFrameHeader.control(.pong, payload, mask: nextMask())
      flushOutput()
    }
    guard isFlushed, failure == nil else { return }
    switch phase {
    case .answering, .failing:
      finishLower()
      if hasInputEnded { endAnswering() }
    case .open where hasSentClose && hasPeerEnded: finishLower()
    case .sniffing, .native, .head, .handling, .open, .over: break
    }
  }

  private func flushOutput() {
    guard !output.isEmpty else { return }
    let sent = output.withUnsafeBytes { bytes in
      var vector = iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
      return withUnsafeMutablePointer(to: &vector) { sendLower(UnsafeMutableBufferPointer(start: $0, count: 1)) }
    }
    output = sent == output.count || sendError != nil ? [] : Array(output[sent...])
  }

  // MARK: - Ending

  func finishSending() throws(SystemError) {
    loop.assertIsCurrent()
    if isNative { return try lower.finishSending() }
    guard !isFinishing else { return }
    isFinishing = true
    if isOpen, failure == nil {
      sendClose(webFacts.closeToSend ?? WebSocketClose(closeOfPeer?.code ?? .normal))
      flush()
    } else if !isOpen, !hasFinished, isFlushed {
      hasFinished = true
      try lower.finishSending()
    }
    try settle()
  }

  /// Puts this side's closing frame behind everything that was sent (RFC 6455, section 5.5.1).
  func sendClose(_ close: WebSocketClose) {
    guard !hasSentClose else { return }
    hasSentClose = true
    // In the middle of a frame nothing else may be said.
    guard outgoing.isAtBoundary else { return }
    pong = nil
    output += WebSocketFrameHeader.control(.close, close.payload, mask: nextMask())
  }

  /// Ends this side of the stream below, after both sides have said all.
  func finishLower() {
    guard isFlushed, !hasFinished, core.isStarted else { return }
    hasFinished = true
    // If the connection is broken, the next read finds the error.
    try? lower.finishSending()
  }
}

extension WebStream {
  var isInterrupted: Bool { lower.isInterrupted }
}
