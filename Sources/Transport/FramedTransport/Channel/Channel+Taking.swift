import FramedCoding
import _BonjourishEventLoop

/// Taking received frames, on any thread.
extension Channel {
  /// The result of a wait.
  enum Wake {
    /// There may be a frame.
    case something
    /// There is no frame, and none will come.
    case end
    case cancelled
  }

  /// Takes the next frame if there is one, without waiting.
  ///
  /// A reader on the loop takes a whole batch under the lock, and then one frame after another from the batch.
  ///
  /// - Parameter body: The body of the previous frame. Its memory is reused unless it is shared.
  /// - Returns: Whether there was a frame.
  @usableFromInline
  func takeFrame(into body: inout [UInt8]) -> Bool {
    let isOnLoop = loop.isCurrent
    if isOnLoop, let batchFloor {
      take(from: &batch, into: &body)
      batchFrameCount &+= 1
      if terms.hasHeartbeat { batch.dropEmptyFrames() }
      if batch.bufferedByteCount <= batchFloor || !batch.holdsFrame { returnBatch() }
      return true
    }
    let (isTaken, mayRead) = inbound.withLock { inbound in
      inbound.preconditionIsFree()
      if terms.hasHeartbeat { inbound.decoder.dropEmptyFrames() }
      // An error stays in the decoder; the next wait throws it.
      guard take(from: &inbound.decoder, into: &body) else { return (false, false) }
      inbound.frameCount &+= 1
      let mayRead = mayReadOn(&inbound)
      if isOnLoop { borrowBatch(from: &inbound) }
      return (true, mayRead)
    }
    if mayRead { resumeReading() }
    return isTaken
  }

  @discardableResult @inline(__always)
  private func take(from decoder: inout FrameDecoder, into body: inout [UInt8]) -> Bool {
    (try? decoder.withNextFrame { body.replaceAll(with: $0) }) ?? nil != nil
  }

  /// Waits for a frame, and calls a closure with all received frames, in place and outside the lock.
  ///
  /// - Returns: The number of frames; `nil` at the end.
  func showFrames(_ body: (Span<UInt8>) -> Void) async throws(TransportError) -> Int? {
    while true {
      if var decoder = lend() {
        var count = 0
        // If the frames end with an error, the next call throws it.
        try? decoder.forEachFrame { frame in
          if terms.hasHeartbeat, frame.isEmpty { return }
          count += 1
          body(frame)
        }
        takeBack(decoder, count)
        if count == 0 { continue }
        return count
      }
      guard try await waitForFrame() else { return nil }
    }
  }

  /// Takes the decoder if it holds a frame.
  private func lend() -> FrameDecoder? {
    if loop.isCurrent { returnBatch() }
    let format = format
    return inbound.withLock { inbound in
      inbound.preconditionIsFree()
      guard inbound.decoder.holdsFrame else { return nil }
      var lent = FrameDecoder(format: format)
      swap(&lent, &inbound.decoder)
      inbound.borrower = .viewer
      return lent
    }
  }

  /// - Parameter count: The number of frames that were taken from it.
  private func takeBack(_ decoder: consuming FrameDecoder, _ count: Int) {
    var decoder = decoder
    returnBuffer(of: &decoder)
    let returned = decoder
    let mayRead = inbound.withLock { inbound in
      inbound.borrower = nil
      inbound.frameCount &+= UInt64(count)
      if case .closed? = inbound.end { return false }
      inbound.decoder = returned
      inbound.decoder.permit(maximumBodySize: inbound.largestFrame)
      return mayReadOn(&inbound)
    }
    if mayRead { resumeReading() }
  }

  /// Waits until there may be a frame; false at the end.
  @usableFromInline
  func waitForFrame() async throws(TransportError) -> Bool {
    // The condition is checked with the continuation in hand, so that waiting takes the lock once.
    let wake = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let (wake, mayRead, isWithLoop) = inbound.withLock { inbound in
          let (wake, mayRead) = beginWaiting(&inbound, continuation)
          return (wake, mayRead, inbound.borrower == .loop)
        }
        if mayRead { resumeReading() }
        if let wake { continuation.resume(returning: wake) }
        if isWithLoop { loop.perform { self.returnBatch() } }
      }
    } onCancel: {
      inbound.withLock { $0.reader.take() }?.resume(returning: .cancelled)
    }
    switch wake {
    case .something: return true
    case .end: return try conclude()
    case .cancelled: throw .cancelled("Waiting for a frame from \(peer)")
    }
  }

  /// Stores the continuation of the waiting task, unless there is a frame or an end.
  private func beginWaiting(
    _ inbound: inout Inbound, _ continuation: UnsafeContinuation<Wake, Never>
  ) -> (Wake?, mayRead: Bool) {
    inbound.preconditionIsFree()
    do throws(FramingError) {
      if try inbound.decoder.hasFrame() { return (.something, false) }
    } catch {
      return (.end, false)
    }
    guard inbound.end == nil || inbound.borrower == .loop else { return (.end, false) }
    if Task.isCancelled { return (.cancelled, false) }
    returnBuffer(of: &inbound.decoder)
    inbound.reader = continuation
    return (nil, mayReadOn(&inbound))
  }

  /// Returns false if the connection ended in order.
  ///
  /// - Throws: The reason, if it did not.
  private func conclude() throws(TransportError) -> Bool {
    let error: TransportError? = inbound.withLock { inbound in
      do throws(FramingError) {
        // An error of the decoder comes first, because its bytes came before the end.
        _ = try inbound.decoder.hasFrame()
        switch inbound.end {
        case .failed(let error)?: return error
        case .orderly?: try inbound.decoder.finish()
        case .closed?, nil: break
        }
        return nil
      } catch {
        let isLimited = inbound.largestFrame < format.maximumBodySize
        let error = TransportError(error, "Reading from \(peer)\(isLimited ? ", which has not been admitted," : "")")
        if inbound.end == nil { count(error) }
        inbound.end = .failed(error)
        return error
      }
    }
    if let error { throw error }
    return false
  }

  /// Whether enough has been taken to resume paused reading; clears the pause if so.
  @inline(__always)
  func mayReadOn(_ inbound: inout Inbound) -> Bool {
    guard inbound.isPaused, !inbound.isLent, inbound.end == nil else { return false }
    let isMuchLeft = inbound.decoder.bufferedByteCount > limits.receiveAhead / 2
    if isMuchLeft, inbound.decoder.hasSomething { return false }
    inbound.isPaused = false
    return true
  }

  func resumeReading() {
    loop.perform {
      guard self.phase == .open else { return }
      self.timeouts.handle(.readingAgain, at: self.loop.tickStart)
      self.update(reading: true)
    }
  }
}
