import CBonjourishLinux
import FramedCoding
import _BonjourishEventLoop

/// Receiving: from the stream to the reader.
extension Channel {
  /// The least room for a read, in bytes: what a buffer holds above the standard limit, and enough to be worth a system call.
  private static let leastRoom = 32 * 1024

  /// Up to this many received bytes are copied out of a shared buffer, so that the next connection can use the buffer at once.
  private static let leastLeft = 4096

  /// The memory, in bytes, that an idle connection may keep.
  private static let keptCapacity = 512

  // MARK: - On the loop

  /// Reads once, at most a buffer full, so that other connections are served in between.
  func receive() {
    loop.assertIsCurrent()
    guard phase == .open else { return discard() }
    returnBatch()
    enum Outcome {
      case received
      case pause
      case ended(TransportError?)
    }
    var event: PeerTimeouts.Event?
    var isWelcome = false
    var isFirst = false
    let (outcome, reader): (Outcome, UnsafeContinuation<Wake, Never>?) = inbound.withLock { inbound in
      // While there is only part of one large frame, reading goes on: the app has nothing to take yet, so it would not resume
      // reading. A side that waits for the peer to read is likely to take few frames, too, so it reads less ahead.
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
        byteCounter?.received(count)
        isFirst = bytesReceived == 0 && count > 0
        bytesReceived &+= UInt64(count)
        if terms.hasHeartbeat { inbound.decoder.dropEmptyFrames() }
        let isSame = hadPart && !inbound.decoder.hasSomething
        event = isSame ? .continued(inbound.decoder.bufferedByteCount) : .begun
        isWelcome = isPending && inbound.decoder.holdsFrame
        if count == 0 {
          hasPeerEnded = true
          inbound.end = inbound.failureAtEnd.map { .failed($0) } ?? .orderly
          outcome = .ended(nil)
        }
      } catch  where error.errno == EAGAIN {
      } catch {
        let error = report(error, "Reading from \(peer)")
        inbound.end = .failed(error)
        outcome = .ended(error)
      }
      guard inbound.reader != nil, inbound.end != nil || inbound.decoder.hasSomething else {
        returnBuffer(of: &inbound.decoder)
        return (outcome, nil)
      }
      return (outcome, inbound.reader.take())
    }
    if let event {
      expect(event)
      lastActivity = loop.tickStart
    }
    if isWelcome {
      admit()
    } else if isFirst, isPending, let admission {
      admission.registry.note(.heard, of: admission.ticket)
    }
    // Last, so that the reader finds that sending has ended, too.
    defer { reader?.resume(returning: .something) }
    switch outcome {
    case .received: break
    case .pause: update(reading: false)
    // At the end of the tick, because the app has often closed the connection by then, which saves a system call.
    case .ended(nil): loop.atEndOfTick { if self.phase == .open { self.update(reading: false) } }
    case .ended(let error?): fail(error)
    }
  }

  /// Reads into a shared buffer, which the next connection can use at once if few bytes came.
  ///
  /// - Returns: The number of bytes received; 0 at the end of the stream.
  private func fill(_ decoder: inout FrameDecoder) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    guard decoder.storageCapacity < BufferPool.capacity else { return try read(into: &decoder) }
    let own = decoder.exchangeStorage(for: transportLoop.takeBuffer())
    let count = Result { () throws(SystemError) in try read(into: &decoder) }
    if decoder.bufferedByteCount <= Self.leastLeft { transportLoop.giveBuffer(decoder.exchangeStorage(for: own)) }
    return try count.get()
  }

  private func read(into decoder: inout FrameDecoder) throws(SystemError) -> Int {
    loop.assertIsCurrent()
    let room = max(decoder.storageCapacity - decoder.bufferedByteCount, Self.leastRoom)
    let share = transportLoop.readBudget.take(for: ObjectIdentifier(self), in: loop.tick)
    var count = 0
    // What gave nothing counts, too, also when there is an error.
    defer { transportLoop.readBudget.end(max(count, stream.costOfReceiving)) }
    try decoder.append(upTo: min(room, share)) { (output) throws(SystemError) in
      count = try stream.receive(into: &output)
    }
    return count
  }

  /// Returns the buffer when the rest in it fits into a much smaller one.
  func returnBuffer(of decoder: inout FrameDecoder) {
    let capacity = decoder.storageCapacity
    guard capacity > Self.keptCapacity, decoder.bufferedByteCount <= capacity / 4 else { return }
    transportLoop.giveBuffer(decoder.exchangeStorage(for: []))
  }

  /// Takes the rest of the received frames for a reader on the loop, if that saves time.
  ///
  /// Not before the peer has been admitted, because admission permits larger frames at once. Not for formats with a layout
  /// either: the layout would parse each frame twice.
  @inline(__always)
  func borrowBatch(from inbound: inout Inbound) {
    loop.assertIsCurrent()
    if terms.hasHeartbeat { inbound.decoder.dropEmptyFrames() }
    guard header != nil, inbound.largestFrame == format.maximumBodySize, inbound.decoder.holdsFrame else { return }
    swap(&batch, &inbound.decoder)
    inbound.borrower = .loop
    batchFloor = inbound.isPaused ? limits.receiveAhead / 2 : 0
  }

  /// Returns the rest of the batch to the decoder, from which any reader can go on.
  func returnBatch() {
    loop.assertIsCurrent()
    guard batchFloor != nil else { return }
    batchFloor = nil
    let (reader, mayRead): (UnsafeContinuation<Wake, Never>?, Bool) = inbound.withLock { inbound in
      inbound.borrower = nil
      if case .closed? = inbound.end {
        batch = FrameDecoder(format: format)
        return (inbound.reader.take(), false)
      }
      swap(&batch, &inbound.decoder)
      let isSomething = inbound.end != nil || inbound.decoder.hasSomething
      return (isSomething ? inbound.reader.take() : nil, mayReadOn(&inbound))
    }
    if mayRead { resumeReading() }
    reader?.resume(returning: .something)
  }
}

extension FrameDecoder {
  /// Whether there is a whole frame or an error.
  var hasSomething: Bool {
    mutating get { (try? hasFrame()) ?? true }
  }

  /// Whether there is a whole frame.
  var holdsFrame: Bool {
    mutating get { (try? hasFrame()) ?? false }
  }
}
