import EventLoop
import Framing
import Glibc

/// A listener as the loop sees it: its sockets, and the connections that nobody has taken yet.
///
/// Sendable: `state` is locked, everything else is touched on the loop only.
final class Acceptor: @unchecked Sendable {
  struct State {
    var waiting: [Connection] = []
    /// Who waits for a connection.
    var taker: CheckedContinuation<Void, Never>?
    /// Whether accepting has stopped until some of the connections are taken.
    var isFull = false
    var isClosed = false
  }

  /// How many connections wait here; more wait in the system.
  private static let mostWaiting = 64

  /// How many connections are accepted before those that are there have their turn; so newcomers who say hello at once are
  /// heard before many others come.
  private static let mostAtOnce = 16

  /// After how many nanoseconds the others have their turn, however few have been accepted: the system may have much to do for each.
  private static let longestAtOnce: Int64 = 50_000

  /// How long to wait when there is no memory for a connection, nor a descriptor to spare, before the next attempt.
  private static let shortagePause = Duration.milliseconds(100)

  /// The loop that accepts.
  var loop: EventLoop { homes[0].loop }

  /// The loops that the connections are spread over.
  private let homes: [TransportLoop]
  private let terms: ChannelTerms
  let reception: Reception
  let state = Locked(State())

  // On the loop only:
  private var sockets: [ListeningSocket]
  private var shortageTimer: LoopTimer?
  /// Ends the time that connections have to end by themselves.
  private var drainTimer: LoopTimer?

  init(
    _ sockets: [ListeningSocket], format: FrameFormat, limits: TransportLimits, newcomers: NewcomerLimits,
    on homes: [TransportLoop]
  ) {
    self.sockets = sockets
    terms = ChannelTerms(format, limits, admissionTime: newcomers.timeLimit)
    self.homes = homes
    reception = Reception(newcomers)
    SpareDescriptor.shared.prepare()
  }

  /// Whether there was no memory for a connection, nor a descriptor to spare, and it is not time yet to try again.
  var isShort: Bool { shortageTimer != nil }

  // MARK: - Anywhere

  func start() async throws(TransportError) {
    let started: Result<Void, SystemError> = await withCheckedContinuation { continuation in
      loop.perform {
        continuation.resume(returning: Result { () throws(SystemError) in try self.setAccepting(true) })
      }
    }
    do throws(SystemError) {
      try started.get()
    } catch {
      close()
      throw TransportError(error, "Listening")
    }
  }

  /// The next connection; `nil` when closed, or when the task is cancelled.
  func next() async -> Connection? {
    while true {
      let (connection, isClosed, mayAccept) = state.withLock { state -> (Connection?, Bool, Bool) in
        precondition(state.taker == nil, "The connections of a listener can have only one reader at a time")
        guard !state.waiting.isEmpty else { return (nil, state.isClosed, false) }
        let connection = state.waiting.removeFirst()
        guard state.isFull, state.waiting.count <= Self.mostWaiting / 2 else { return (connection, false, false) }
        state.isFull = false
        return (connection, false, true)
      }
      if mayAccept { loop.perform { self.resume() } }
      if let connection { return connection }
      if isClosed || Task.isCancelled { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let mayGoOn = state.withLock { state in
            precondition(state.taker == nil, "The connections of a listener can have only one reader at a time")
            if state.isClosed || !state.waiting.isEmpty || Task.isCancelled { return true }
            state.taker = continuation
            return false
          }
          if mayGoOn { continuation.resume() }
        }
      } onCancel: {
        state.withLock { $0.taker.take() }?.resume()
      }
    }
  }

  /// Stops listening, lets connections end, and ends those that are left after some time.
  ///
  /// - Returns: How many were left.
  func drain(within limit: Duration) async -> Int {
    let taker = state.withLock { state in
      state.isClosed = true
      return state.taker.take()
    }
    taker?.resume()
    let aborted = Locked(0)
    let abortAll: @Sendable () -> Void = {
      self.reception.abortAll { count in aborted.withLock { $0 += count } }
    }
    await withCheckedContinuation { continuation in
      loop.perform {
        self.closeSockets()
        self.drainTimer?.cancel()
        self.drainTimer = self.loop.schedule(after: limit, abortAll)
        continuation.resume()
      }
    }
    await withTaskCancellationHandler {
      await reception.waitUntilEmpty()
    } onCancel: {
      abortAll()
    }
    loop.perform {
      self.drainTimer?.cancel()
      self.drainTimer = nil
    }
    return aborted.withLock { $0 }
  }

  /// Stops listening, and calls a closure when that is done.
  func close(_ completion: @escaping @Sendable () -> Void = {}) {
    let (taker, dropped) = state.withLock { state in
      state.isClosed = true
      defer { state.waiting = [] }
      return (state.taker.take(), state.waiting)
    }
    taker?.resume()
    for connection in dropped { connection.abort() }
    loop.perform {
      self.closeSockets()
      completion()
    }
  }

  // MARK: - On the loop

  private func closeSockets() {
    shortageTimer?.cancel()
    for socket in sockets { socket.close() }
    sockets = []
  }

  private func setAccepting(_ isOn: Bool) throws(SystemError) {
    for socket in sockets {
      try socket.watch(on: loop, isOn ? { self.accept(from: socket) } : nil)
    }
  }

  /// Accepts what waits, at most as many as fit, so that connections have their turn.
  private func accept(from socket: ListeningSocket) {
    let end = LoopTime.now.advanced(byNanoseconds: Self.longestAtOnce)
    for _ in 0..<Self.mostAtOnce where .now < end {
      do throws(SystemError) {
        guard deliver(try socket.accept()) else { return pause() }
      } catch {
        switch error.errno {
        case EAGAIN:
          return
        // These concern the connection that would have been accepted, not the listener (accept(2)).
        case ECONNABORTED, EPROTO, EPERM, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, EOPNOTSUPP:
          continue
        case EMFILE, ENFILE:
          // Asked for a connection without a descriptor for it, the system says so even when there is none.
          switch SpareDescriptor.shared.shed(from: socket) {
          case .shed: reception.count { $0.shed += 1 }
          case .nobodyWaits: return
          case .impossible: return pauseForShortage()
          }
        default:
          // A connection that cannot be accepted would be reported again in every turn.
          return pauseForShortage()
        }
      }
    }
  }

  /// Hands a connection to its loop and to those who take it; false when no more fit.
  private func deliver(_ accepted: consuming Socket.Accepted) -> Bool {
    let peer = accepted.peer
    let socket = accepted.socket
    // Without an address the peer has gone already.
    guard let local = socket.localAddress() else { return true }
    let credentials = socket.peerCredentials()
    guard let ticket = reception.arrive(peer, seenFrom: local, credentials) else {
      // Nothing of it stays in the system, however many come.
      socket.reset()
      return true
    }
    let home = homes.leastLoaded
    let guest = Guest(reception: reception, ticket: ticket, tally: reception.tally(of: home))
    let channel = Channel(socket, peer: peer, terms: terms, on: home, guest: guest)
    reception.enter(channel, ticket)
    channel.start()
    let connection = Connection(channel, local: local, credentials)
    let (taker, isFull) = state.withLock { state -> (CheckedContinuation<Void, Never>?, Bool) in
      guard !state.isClosed else { return (nil, false) }
      state.waiting.append(connection)
      if state.waiting.count >= Self.mostWaiting { state.isFull = true }
      return (state.taker.take(), state.isFull)
    }
    taker?.resume()
    return !isFull
  }

  private func pause() {
    // Taking watches away cannot fail.
    try? setAccepting(false)
  }

  private func pauseForShortage() {
    pause()
    shortageTimer = loop.schedule(after: Self.shortagePause) {
      self.shortageTimer = nil
      self.resume()
    }
  }

  private func resume() {
    guard !isShort else { return }
    do throws(SystemError) {
      try setAccepting(true)
    } catch {
      pauseForShortage()
    }
  }
}
