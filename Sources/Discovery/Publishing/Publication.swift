/// What a publisher wants, and how far it has got: registering, renaming after conflicts, beginning anew after the server was
/// away.
///
/// A value without I/O: events of the engine go in, effects for the engine and reports for the app come out.
package struct Publication {
  package enum Event: Hashable, Sendable {
    /// The engine can register services.
    case serverRunning
    /// The engine has dropped its services for now, because the host is getting another name.
    case serverReset(DiscoveryError)
    /// The engine is gone.
    case serverLost(DiscoveryError)
    /// The name is ours.
    case established
    /// The name is somebody else's.
    case collision
    /// The engine will not register this service.
    case refused(DiscoveryError)
    /// The time that ``Effect/startTimer(_:)`` asked for is over.
    case timerFired
    /// The app has another TXT record.
    case updated(TXTRecord)
  }

  package enum Effect: Hashable, Sendable {
    /// Register this, in place of anything that was registered before.
    case register(Registration)
    case updateText(TXTRecord)
    case withdraw
    case startTimer(Duration)
    case stopTimer
    case report(RegistrationEvent)
  }

  private enum State: Hashable {
    /// Nothing is registered. Goes to `registering` when the server runs.
    case offline
    /// The engine was asked, and is probing. Goes to `established`, and to `failed` when it stays silent for too long.
    case registering(attempt: Int)
    /// The name is ours. Goes back to `registering` after a collision and to `offline` with the server.
    case established
    /// Nothing more happens.
    case failed
  }

  /// How long probing and announcing may take before it is begun again. It takes 1 s (RFC 6762 §8), longer after conflicts.
  package static let patience: Duration = .seconds(10)
  private static let maximumAttempts = 3

  private var registration: Registration
  private var state = State.offline
  /// Whether the app has been told of an interruption and of no establishment since.
  private var isKnownAsInterrupted = false

  package init(_ registration: Registration) {
    self.registration = registration
  }

  package mutating func handle(_ event: Event) -> [Effect] {
    switch (event, state) {
    case (_, .failed):
      return []

    case (.serverRunning, .offline):
      return register(attempt: 1)
    case (.serverRunning, .registering), (.serverRunning, .established):
      return []

    case (.serverReset(let error), .registering), (.serverReset(let error), .established):
      state = .offline
      return [.stopTimer, .withdraw] + interruption(error)
    case (.serverLost(let error), .registering), (.serverLost(let error), .established):
      state = .offline
      return [.stopTimer] + interruption(error)
    case (.serverReset(let error), .offline), (.serverLost(let error), .offline):
      return interruption(error)

    case (.established, .registering):
      state = .established
      isKnownAsInterrupted = false
      return [.stopTimer, .report(.established(registration.name))]
    case (.established, .offline), (.established, .established):
      return []

    case (.collision, .established):
      // Probed for once more, and given up only if somebody defends it (RFC 6762 §9): what looks like another owner may be our
      // own announcement of a moment ago, come back after the text has changed.
      return register(attempt: 1)
    case (.collision, .registering):
      let taken = registration.name
      registration = registration.renamed(to: taken.alternative)
      return [.report(.renamed(from: taken, to: registration.name))] + register(attempt: 1)
    case (.collision, .offline):
      return []

    case (.refused(let error), .offline), (.refused(let error), .registering), (.refused(let error), .established):
      return fail(error)

    case (.timerFired, .registering(let attempt)):
      guard attempt < Self.maximumAttempts else {
        return fail(
          DiscoveryError(
            .timedOut,
            "publishing \"\(registration.name)\": the engine neither confirmed nor refused the name in "
              + "\(Self.maximumAttempts * Int(Self.patience.components.seconds)) s; look at its log"))
      }
      return register(attempt: attempt + 1)
    case (.timerFired, .offline), (.timerFired, .established):
      return []

    case (.updated(let txt), .registering), (.updated(let txt), .established):
      registration = registration.saying(txt)
      return [.updateText(txt)]
    case (.updated(let txt), .offline):
      registration = registration.saying(txt)
      return []
    }
  }

  private mutating func register(attempt: Int) -> [Effect] {
    state = .registering(attempt: attempt)
    return [.register(registration), .startTimer(Self.patience)]
  }

  private mutating func fail(_ error: DiscoveryError) -> [Effect] {
    state = .failed
    return [.stopTimer, .withdraw, .report(.failed(error))]
  }

  private mutating func interruption(_ error: DiscoveryError) -> [Effect] {
    guard !isKnownAsInterrupted else { return [] }
    isKnownAsInterrupted = true
    return [.report(.interrupted(error))]
  }
}

extension Registration {
  /// The same service by another name.
  package func renamed(to name: InstanceName) -> Registration {
    Registration(name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, on: interface)
  }

  /// The same service with another TXT record.
  package func saying(_ txt: TXTRecord) -> Registration {
    Registration(name, type: type, subtypes: subtypes, domain: domain, port: port, txt: txt, on: interface)
  }
}
