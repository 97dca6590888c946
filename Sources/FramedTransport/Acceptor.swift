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

  /// How long to wait when there is no descriptor or memory for a connection, before the next attempt.
  private static let shortagePause = Duration.milliseconds(100)

  /// The loop that accepts.
  var loop: EventLoop { homes[0].loop }

  /// The loops that the connections are spread over.
  private let homes: [TransportLoop]
  private let format: FrameFormat
  private let limits: TransportLimits
  let state = Locked(State())

  // On the loop only:
  private var sockets: [ListeningSocket]
  private var shortageTimer: LoopTimer?

  init(_ sockets: [ListeningSocket], format: FrameFormat, limits: TransportLimits, on homes: [TransportLoop]) {
    self.sockets = sockets
    self.format = format
    self.limits = limits
    self.homes = homes
  }

  /// Whether there was no descriptor or memory for a connection, and it is not time yet to try again.
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
      self.shortageTimer?.cancel()
      for socket in self.sockets { socket.close() }
      self.sockets = []
      completion()
    }
  }

  // MARK: - On the loop

  private func setAccepting(_ isOn: Bool) throws(SystemError) {
    for socket in sockets {
      try socket.watch(on: loop, isOn ? { self.accept(from: socket) } : nil)
    }
  }

  /// Accepts what waits, at most as many as fit, so that connections have their turn.
  private func accept(from socket: ListeningSocket) {
    for _ in 0..<Self.mostWaiting {
      do throws(SystemError) {
        guard deliver(try socket.accept()) else { return pause() }
      } catch {
        switch error.errno {
        case EAGAIN:
          return
        // These concern the connection that would have been accepted, not the listener (accept(2)).
        case ECONNABORTED, EPROTO, EPERM, ENOPROTOOPT, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH, ENONET, EOPNOTSUPP:
          continue
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
    let channel = Channel(socket, peer: peer, format: format, limits: limits, on: homes.leastLoaded)
    // Before anybody gets it, so that on its loop this comes first.
    channel.start()
    let connection = Connection(channel, local: local)
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
