import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// The bytes between the stream below and the session.
extension TLSStream {
  var costOfReceiving: Int { core.budget.cost }

  /// The bytes to receive beyond those that there is room for: a record and what its header and padding add.
  private static let overhead = TLSSession.recordSize + 512

  /// Runs a step of the session, and receives more from below as long as the step wants it and the budget of this tick permits.
  ///
  /// - Parameters:
  ///   - byteCount: The number of plain bytes that the step can take. Not much more is received, so that little is held back.
  ///   - step: Called again after bytes have been received.
  /// - Returns: The outcome of the last call; `nil` if the stream below is broken, which is a failure then.
  func run(expecting byteCount: Int, _ step: (TLSSession) -> TLSSession.Outcome) -> TLSSession.Outcome? {
    loop.assertIsCurrent()
    guard let session else { return nil }
    let isBorrowed = held.isEmpty
    var buffer = isBorrowed ? workspace.input.take() : held
    held = []
    var start = 0
    var isDrained = false
    core.budget.begin(room: byteCount, overhead: Self.overhead, in: loop.tick)
    defer {
      session.input = UnsafeRawBufferPointer(start: nil, count: 0)
      if start < buffer.count, self.session != nil { held = Array(buffer[start...]) }
      if isBorrowed { workspace.input.give(&buffer) }
    }
    while true {
      session.hasInputEnded = hasInputEnded
      session.recordsLeft = core.budget.steps
      let outcome = buffer.withUnsafeBytes { bytes in
        session.input = UnsafeRawBufferPointer(rebasing: bytes[start...])
        let outcome = step(session)
        start = bytes.count - session.input.count
        return outcome
      }
      core.budget.take(steps: core.budget.steps - session.recordsLeft)
      guard outcome == .wantsInput else { return outcome }
      let isCutShort = start < buffer.count || core.budget.isSpent && !isDrained && !hasInputEnded
      core.budget.isCutShort = isCutShort
      guard !isCutShort, !isDrained, !hasInputEnded else { return outcome }
      buffer.removeAll(keepingCapacity: true)
      start = 0
      let wanted = min(TLSWorkspace.inputSize, core.budget.bytes)
      var count = 0
      do throws(SystemError) {
        try buffer.append(addingCapacity: wanted) { (output) throws(SystemError) in
          count = try lower.receive(into: &output)
        }
      } catch  where error.errno == EAGAIN {
        return .wantsInput
      } catch {
        fail(lower.failure ?? error.asTransportError(reading: peer))
        return nil
      }
      core.budget.take(bytes: count)
      if count == 0 { hasInputEnded = true }
      isDrained = count < wanted
    }
  }

  /// Encrypts pieces and sends them in batches, until there is no more room below.
  ///
  /// - Returns: The number of bytes that were taken.
  func encrypt(_ pieces: UnsafeMutableBufferPointer<iovec>, _ session: TLSSession) -> Int {
    loop.assertIsCurrent()
    session.output = workspace.output.take()
    let recordSize = TLSSession.recordSize
    let record = workspace.record
    var taken = 0
    // Bytes in `record`: small pieces are put together, because each record costs 22 bytes and as much time as 300.
    var gathered = 0
    pieces: for (index, piece) in pieces.enumerated() {
      var rest = UnsafeRawBufferPointer(start: piece.iov_base, count: piece.iov_len)
      while !rest.isEmpty {
        guard makeRoom(session) else { break pieces }
        let isAlone = gathered == 0 && (rest.count >= recordSize || index == pieces.count - 1)
        let size = min(rest.count, recordSize - gathered)
        let part = UnsafeRawBufferPointer(rebasing: rest[..<size])
        if isAlone {
          guard write(part, session) else { break pieces }
          taken += size
        } else {
          UnsafeMutableRawBufferPointer(rebasing: record[gathered...]).copyMemory(from: part)
          gathered += size
          if gathered == recordSize {
            guard write(UnsafeRawBufferPointer(record), session) else { break pieces }
            taken += gathered
            gathered = 0
          }
        }
        rest = UnsafeRawBufferPointer(rebasing: rest[size...])
      }
    }
    if gathered > 0, write(UnsafeRawBufferPointer(rebasing: record[..<gathered]), session) { taken += gathered }
    if session.output.isEmpty { giveOutputBack(session) }
    return taken
  }

  /// Sends a full batch, so that the next record has room; returns false if some of it stays.
  private func makeRoom(_ session: TLSSession) -> Bool {
    guard session.output.count + TLSSession.recordSize + 256 > TLSWorkspace.outputSize else { return true }
    flush()
    guard session.output.isEmpty, failure == nil else { return false }
    session.output = workspace.output.take()
    return true
  }

  private func write(_ bytes: UnsafeRawBufferPointer, _ session: TLSSession) -> Bool {
    switch session.write(bytes) {
    case .done: return true
    case .failed(let reason):
      fail(error(reason))
      return false
    case .wantsInput, .wantsRoom, .ended: return false
    }
  }

  /// Sends what was encrypted, as far as there is room.
  func flush() {
    loop.assertIsCurrent()
    guard let session else { return }
    if !session.output.isEmpty {
      do throws(SystemError) {
        outputStart += try Self.send(session.output, from: outputStart, to: lower)
        if outputStart == session.output.count {
          giveOutputBack(session)
        } else if outputStart > session.output.count / 2 {
          // A little that waits for a slow peer does not keep a large buffer.
          let rest = Array(session.output[outputStart...])
          giveOutputBack(session)
          session.output = rest
        }
      } catch  where error.errno == EAGAIN {
        return
      } catch {
        giveOutputBack(session)
        return fail(lower.failure ?? TransportError(error, "Sending to \(peer)"))
      }
    }
    guard session.output.isEmpty, isFinishing, !hasFinished else { return }
    hasFinished = true
    // If the connection is broken, the next read finds the error.
    try? lower.finishSending()
  }

  /// Empties the output, and returns its memory.
  func giveOutputBack(_ session: TLSSession) {
    var buffer: [UInt8] = []
    swap(&buffer, &session.output)
    outputStart = 0
    workspace.output.give(&buffer)
  }

  private static func send(_ bytes: [UInt8], from start: Int, to lower: any ByteStream) throws(SystemError) -> Int {
    try bytes.withUnsafeBufferPointer { (bytes) throws(SystemError) in
      let rest = UnsafeBufferPointer(rebasing: bytes[start...])
      var piece = iovec(iov_base: UnsafeMutableRawPointer(mutating: rest.baseAddress), iov_len: rest.count)
      return try withUnsafeMutablePointer(to: &piece) { (piece) throws(SystemError) in
        try lower.send(UnsafeMutableBufferPointer(start: piece, count: 1))
      }
    }
  }
}
