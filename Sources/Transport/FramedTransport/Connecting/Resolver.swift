import CBonjourishLinux
import _BonjourishEventLoop

/// Looks up host names on separate threads, because the system's resolver blocks for an unlimited time.
///
/// A few threads serve any number of look-ups, and end when there are none.
final class Resolver: Sendable {
  typealias Answer = Result<[SocketAddress], TransportError>

  static let shared = Resolver()

  private static let mostThreads = 4

  private struct State {
    var waiting: [Lookup] = []
    var threads = 0
  }

  private let state = Locked(State())

  /// Looks up the addresses of a host, of one family or both, on a thread of the resolver.
  ///
  /// - Throws: `nameNotFound` and other errors of the look-up; `cancelled` at once if the task is cancelled, even if the thread
  ///   still waits.
  func lookUp(_ host: String, _ family: SocketAddress.Family?) async throws(TransportError) -> [SocketAddress] {
    let lookup = Lookup(host, family)
    return try await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        guard lookup.await(caller) else { return }
        enqueue(lookup)
      }
    } onCancel: {
      lookup.answer(.failure(.cancelled("Looking up \(host)")))
    }.get()
  }

  private func enqueue(_ lookup: Lookup) {
    let mustStart = state.withLock { state in
      state.waiting.append(lookup)
      guard state.threads < Self.mostThreads else { return false }
      state.threads += 1
      return true
    }
    guard mustStart else { return }
    let failure = makeThread { self.work() }
    guard failure != 0 else { return }
    // A running thread takes the look-up. Without one, the look-ups fail.
    let abandoned = state.withLock { state in
      state.threads -= 1
      guard state.threads == 0 else { return [Lookup]() }
      defer { state.waiting = [] }
      return state.waiting
    }
    for lookup in abandoned {
      lookup.answer(.failure(TransportError(SystemError("pthread_create", errno: failure), "Looking up \(lookup.host)")))
    }
  }

  private func work() {
    while true {
      let next: Lookup? = state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.threads -= 1
          return nil
        }
        return state.waiting.removeFirst()
      }
      guard let lookup = next else { return }
      if lookup.isAwaited { lookup.answer(Self.ask(for: lookup.host, lookup.family)) }
    }
  }

  private static func ask(for host: String, _ family: SocketAddress.Family?) -> Answer {
    var hints = addrinfo()
    hints.ai_family = family?.addressFamily ?? AF_UNSPEC
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let failure = getaddrinfo(host, nil, &hints, &list)
    guard failure == 0 else { return .failure(error(failure, errno: linux_errno(), host)) }
    defer { freeaddrinfo(list) }
    let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).compactMap { entry in
      entry?.pointee.ai_addr.flatMap { SocketAddress(UnsafePointer($0)) }
    }
    return addresses.isEmpty ? .failure(error(EAI_NONAME, errno: 0, host)) : .success(addresses)
  }

  private static func error(_ failure: CInt, errno: CInt, _ host: String) -> TransportError {
    let attempt = "Looking up \(host)"
    switch failure {
    case EAI_SYSTEM:
      return TransportError(SystemError("getaddrinfo", errno: errno), attempt)
    case EAI_AGAIN:
      return TransportError(.timedOut, "\(attempt) failed: the name service did not answer; try again later")
    case EAI_MEMORY:
      return TransportError(SystemError("getaddrinfo", errno: ENOMEM), attempt)
    default:
      return TransportError(.nameNotFound, "\(attempt) failed: the host name is unknown; check its spelling")
    }
  }
}

/// One look-up, which is answered once: by the resolver or by cancellation.
private final class Lookup: Sendable {
  private enum State {
    case new
    case awaited(CheckedContinuation<Resolver.Answer, Never>)
    case answered(Resolver.Answer)
    case over
  }

  let host: String
  /// The only family to look up; `nil` for both.
  let family: SocketAddress.Family?
  private let state = Locked(State.new)

  init(_ host: String, _ family: SocketAddress.Family?) {
    self.host = host
    self.family = family
  }

  var isAwaited: Bool {
    state.withLock { state in
      if case .awaited = state { true } else { false }
    }
  }

  /// Waits with the caller's continuation; returns false if there was an answer already, with which the caller is resumed.
  func await(_ caller: CheckedContinuation<Resolver.Answer, Never>) -> Bool {
    let answer: Resolver.Answer? = state.withLock { state in
      if case .answered(let answer) = state { return answer }
      state = .awaited(caller)
      return nil
    }
    guard let answer else { return true }
    caller.resume(returning: answer)
    return false
  }

  func answer(_ answer: Resolver.Answer) {
    let caller: CheckedContinuation<Resolver.Answer, Never>? = state.withLock { state in
      switch state {
      case .new:
        state = .answered(answer)
        return nil
      case .awaited(let caller):
        state = .over
        return caller
      case .answered, .over:
        return nil
      }
    }
    caller?.resume(returning: answer)
  }
}
