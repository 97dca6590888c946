import EventLoop
import Framing
import Glibc

/// From the stream to the reader.
extension Channel {
  /// The least room that a read is given, which is what a buffer holds above the standard limit; enough to be worth a system call.
  private static let leastRoom = 32 * 1024

  /// What is copied out of a shared buffer rather than keeping it from the next connection until somebody takes the frames.
  private static let leastLeft = 4096

  /// What a connection may keep for what comes next.
  private static let keptCapacity = 512

  // MARK: - On the loop

  /// Reads once, at most what a buffer holds, so that other connections have their turn.
  func receive() {
    guard phase == .open else { return discard() }
    enum Outcome {
      case received
      case pause
      case ended(TransportError?)
    }
    var event: Patience.Event?
    var isWelcome = false
    let (outcome, reader): (Outcome, UnsafeContinuation<Wake, Never>?) = inbound.withLock { inbound in
      // Part of one large frame is nobody's fault: there is nothing to take yet, and nobody who would say when to go on.
      // Whom the peer keeps from sending will not take much either.
      let ahead = isBlocked ? limits.receiveAhead / 8 : limits.receiveAhead
      let isLagging = inbound.decoder.bufferedByteCount >= ahead && inbound.decoder.hasSomething
      if inbound.end != nil || inbound.isLent || isLagging {
        inbound.isPaused = true
        return (.pause, nil)
      }
      var outcome = Outcome.received
      let hadPart = inbound.decoder.bufferedByteCount > 0 && !inbound.decoder.hasSomething
      do throws(SystemError) {
        let count = try fill(&inbound.decoder)
        tally?.received(count)
        let isSame = hadPart && !inbound.decoder.hasSomething
        event = isSame ? .continued(inbound.decoder.bufferedByteCount) : .begun
        isWelcome = isNewcomer && inbound.decoder.holdsFrame
        if count == 0 {
          hasPeerEnded = true
          inbound.end = inbound.failureAtEnd.map { .failed($0) } ?? .orderly
          outcome = .ended(nil)
        }
      } catch  where error.errno == EAGAIN {
      } catch {
        let error = TransportError(error, "Reading from \(peer)")
        inbound.end = .failed(error)
        outcome = .ended(error)
      }
      guard inbound.reader != nil, inbound.end != nil || inbound.decoder.hasSomething else {
        returnBuffer(of: &inbound.decoder)
        return (outcome, nil)
      }
      return (outcome, inbound.reader.take())
    }
    if let event { expect(event) }
    if isWelcome { admit() }
    // Last, so that who reads finds sending ended, too.
    defer { reader?.resume(returning: .something) }
    switch outcome {
    case .received: break
    case .pause: update(reading: false)
    // Who reads will often have closed by then, and the system need not be told.
    case .ended(nil): loop.atEndOfTurn { if self.phase == .open { self.update(reading: false) } }
    case .ended(let error?): fail(error)
    }
  }

  /// Reads into a shared buffer, which the next connection can have at once if there is little in it.
  ///
  /// - Returns: How many bytes came, 0 at the end of the stream.
  private func fill(_ decoder: inout FrameDecoder) throws(SystemError) -> Int {
    guard decoder.storageCapacity < BufferPool.capacity else { return try read(into: &decoder) }
    let own = decoder.exchangeStorage(for: home.takeBuffer())
    let count = Result { () throws(SystemError) in try read(into: &decoder) }
    if decoder.bufferedByteCount <= Self.leastLeft { home.giveBuffer(decoder.exchangeStorage(for: own)) }
    return try count.get()
  }

  private func read(into decoder: inout FrameDecoder) throws(SystemError) -> Int {
    let room = max(decoder.storageCapacity - decoder.bufferedByteCount, Self.leastRoom)
    let share = home.share.take(for: ObjectIdentifier(self), in: loop.turn)
    var count = 0
    try decoder.append(upTo: min(room, share)) { (output) throws(SystemError) in
      count = try stream.receive(into: &output)
    }
    home.share.end(count)
    return count
  }

  /// Gives the buffer back when what is left in it fits into a much smaller one.
  private func returnBuffer(of decoder: inout FrameDecoder) {
    let capacity = decoder.storageCapacity
    guard capacity > Self.keptCapacity, decoder.bufferedByteCount <= capacity / 4 else { return }
    home.giveBuffer(decoder.exchangeStorage(for: []))
  }

  // MARK: - Anywhere

  /// How a wait has ended.
  enum Wake {
    /// There may be a frame.
    case something
    /// There is no frame and will be none.
    case end
    case cancelled
  }

  /// Takes the next frame if it is there, without waiting.
  ///
  /// - Parameter body: The body of the frame before, whose memory is used again if nobody else has it.
  /// - Returns: Whether there was a frame.
  @usableFromInline
  func takeFrame(into body: inout [UInt8]) -> Bool {
    let (isTaken, mayRead) = inbound.withLock { inbound in
      inbound.preconditionIsFree()
      // An error stays in the decoder, and is found by those who wait.
      guard (try? inbound.decoder.withNextFrame { body.replaceAll(with: $0) }) ?? nil != nil else { return (false, false) }
      return (true, mayReadOn(&inbound))
    }
    if mayRead { resumeReading() }
    return isTaken
  }

  /// Waits for a frame, and shows all that have come, in place and outside the lock.
  ///
  /// - Returns: How many they were, `nil` at the end.
  func showFrames(_ body: (Span<UInt8>) -> Void) async throws(TransportError) -> Int? {
    while true {
      if var decoder = lend() {
        var count = 0
        // If the frames end with an error, the next call throws it.
        try? decoder.forEachFrame { frame in
          count += 1
          body(frame)
        }
        takeBack(decoder)
        return count
      }
      guard try await waitForFrame() else { return nil }
    }
  }

  /// Takes the decoder if there is a frame in it.
  private func lend() -> FrameDecoder? {
    let format = format
    return inbound.withLock { inbound in
      inbound.preconditionIsFree()
      guard inbound.decoder.holdsFrame else { return nil }
      var lent = FrameDecoder(format: format)
      swap(&lent, &inbound.decoder)
      inbound.isLent = true
      return lent
    }
  }

  private func takeBack(_ decoder: consuming FrameDecoder) {
    var decoder = decoder
    returnBuffer(of: &decoder)
    let returned = decoder
    let mayRead = inbound.withLock { inbound in
      inbound.isLent = false
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
    // The one look that decides is taken where the continuation is there, so that who waits pays for no other.
    let wake = await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        let (wake, mayRead) = inbound.withLock { beginWaiting(&$0, continuation) }
        if mayRead { resumeReading() }
        if let wake { continuation.resume(returning: wake) }
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

  /// Makes somebody the one who waits, unless there is something for him to know.
  private func beginWaiting(
    _ inbound: inout Inbound, _ continuation: UnsafeContinuation<Wake, Never>
  ) -> (Wake?, mayRead: Bool) {
    inbound.preconditionIsFree()
    do throws(FramingError) {
      if try inbound.decoder.hasFrame() { return (.something, false) }
    } catch {
      return (.end, false)
    }
    guard inbound.end == nil else { return (.end, false) }
    if Task.isCancelled { return (.cancelled, false) }
    returnBuffer(of: &inbound.decoder)
    inbound.reader = continuation
    return (nil, mayReadOn(&inbound))
  }

  /// Says how it has ended: false in order.
  ///
  /// - Throws: Why not.
  private func conclude() throws(TransportError) -> Bool {
    let error: TransportError? = inbound.withLock { inbound in
      do throws(FramingError) {
        // What came before is told before.
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

  /// Whether the loop, which paused, is to go on because enough has been taken; it counts as reading then.
  @inline(__always)
  private func mayReadOn(_ inbound: inout Inbound) -> Bool {
    guard inbound.isPaused, !inbound.isLent, inbound.end == nil else { return false }
    let isMuchLeft = inbound.decoder.bufferedByteCount > limits.receiveAhead / 2
    if isMuchLeft, inbound.decoder.hasSomething { return false }
    inbound.isPaused = false
    return true
  }

  private func resumeReading() {
    loop.perform {
      guard self.phase == .open else { return }
      self.patience.handle(.readingAgain, at: self.loop.turnBegan)
      self.update(reading: true)
    }
  }
}

extension FrameDecoder {
  /// Whether there is a frame or an error to be had.
  var hasSomething: Bool {
    mutating get { (try? hasFrame()) ?? true }
  }

  /// Whether there is a frame to be had.
  fileprivate var holdsFrame: Bool {
    mutating get { (try? hasFrame()) ?? false }
  }
}
