import _BonjourishBase

/// The state machine of one publication: it registers, renames or fails after conflicts, and registers again when the engine is
/// back.
///
/// A value without I/O: events of the engine go in; effects for the engine and reports for the app come out.
package struct Publication {
  package enum Event: Hashable, Sendable {
    /// The engine can register services.
    case serverRunning
    /// The engine has withdrawn its services until the host has its new name.
    case serverReset(DiscoveryError)
    /// The engine is unreachable.
    case serverLost(DiscoveryError)
    /// The name is established.
    case established
    /// Another host has the name.
    case collision
    /// The engine refuses to register the service.
    case refused(DiscoveryError)
    /// The timer of ``Effect/startTimer(_:)`` has fired.
    case timerFired
    /// The app has replaced the TXT record.
    case updated(TXTRecord)
  }

  package enum Effect: Hashable, Sendable {
    /// Register the service, replacing any earlier registration.
    case register(Registration)
    case updateText(TXTRecord)
    case withdraw
    case startTimer(Duration)
    case stopTimer
    case report(RegistrationEvent)
  }

  /// The engine that registers the service.
  package enum Engine: Hashable, Sendable {
    /// avahi-daemon. It may be silent for ever: an unanswered registration is repeated, and fails in the end. And it may take an
    /// old announcement of ours, or what it still has of our former connection, for a conflict: an established name is registered
    /// once more before it is given up, and the one from before an outage after ``pause``.
    case daemon
    /// The engine of this process. It always answers, if late: a host that gets its own name only after many conflicts is waited
    /// for, and the app is told if it takes a minute. It reports a conflict when another host has defended the name (RFC 6762 §9):
    /// the name is not tried again.
    case builtIn
  }

  private enum State: Hashable {
    /// Nothing is registered. Goes to `registering` when the engine runs.
    case offline
    /// The engine is probing. Goes to `established`, or to `failed` after ``maximumAttempts`` timeouts.
    case registering(attempt: Int)
    /// The name is established. Goes to `registering` after a collision, and to `offline` when the engine is reset or lost.
    case established
    /// The name from before an outage is in conflict. Goes to `registering` when the timer fires.
    case pausing
    /// The final state.
    case failed
  }

  /// The time after which a registration is repeated that avahi-daemon has not answered. Probing usually takes 1 s (RFC 6762 §8),
  /// and longer after conflicts.
  package static let timeout: Duration = .seconds(10)
  private static let maximumAttempts = 3
  /// The time after which avahi-daemon is asked again for the name from before an outage, if it says that another has it. A daemon that
  /// ends, or a connection of ours that it has not missed yet, holds names for less than that.
  package static let pause: Duration = .seconds(2)
  /// The time without a name after which the app is told about it, while the built-in engine tries further names (RFC 6762 §9).
  private static let searchTime: Duration = .seconds(60)

  private let engine: Engine
  private var random: SeededGenerator
  private var numbers = AlternativeNumbers()
  /// The name that was asked for.
  private let base: InstanceName
  /// The number of names that other hosts have taken.
  private var conflicts = 0
  private var registration: Registration
  private var state = State.offline
  /// The name that was established before the outage, until it is again or is disputed.
  private var nameBefore: InstanceName?
  /// Whether the last report to the app was an interruption.
  private var isKnownAsInterrupted = false

  /// Makes the machine of a service that is not registered yet.
  ///
  /// - Parameter seed: The seed of the numbers of alternative names. It should differ between processes.
  package init(_ registration: Registration, engine: Engine, seed: UInt64) {
    self.registration = registration
    base = registration.name
    self.engine = engine
    random = SeededGenerator(seed: seed)
  }

  package mutating func handle(_ event: Event) -> [Effect] {
    switch (event, state) {
    case (_, .failed):
      return []

    case (.serverRunning, .offline):
      return register(attempt: 1) + beginSearch()
    case (.serverRunning, .registering), (.serverRunning, .established), (.serverRunning, .pausing):
      return []

    case (.serverReset(let error), .registering), (.serverReset(let error), .established), (.serverReset(let error), .pausing):
      goOffline()
      return [.stopTimer, .withdraw] + interruption(error)
    case (.serverLost(let error), .registering), (.serverLost(let error), .established), (.serverLost(let error), .pausing):
      goOffline()
      return [.stopTimer] + interruption(error)
    case (.serverReset(let error), .offline), (.serverLost(let error), .offline):
      return interruption(error)

    case (.established, .registering):
      state = .established
      nameBefore = nil
      isKnownAsInterrupted = false
      numbers = AlternativeNumbers()
      return [.stopTimer, .report(.established(registration.name))]
    case (.established, .offline), (.established, .established), (.established, .pausing):
      return []

    case (.collision, .established) where engine == .daemon:
      // Probe again, and rename only if another host defends the name (RFC 6762 §9). The conflict may be our own announcement
      // from before a TXT change, reflected to us.
      return register(attempt: 1)
    case (.collision, .established):
      let effects = rename()
      return state == .failed ? effects : effects + beginSearch()
    case (.collision, .registering) where engine == .daemon && registration.name == nameBefore:
      nameBefore = nil
      state = .pausing
      return [.withdraw, .startTimer(Self.pause)]
    case (.collision, .registering):
      return rename()
    case (.collision, .offline), (.collision, .pausing):
      return []

    case (.refused(let error), .offline), (.refused(let error), .registering), (.refused(let error), .established),
      (.refused(let error), .pausing):
      return fail(error)

    case (.timerFired, .registering) where engine == .builtIn:
      let time = Self.searchTime.components.seconds
      return interruption(
        DiscoveryError(
          .timedOut,
          "publishing \"\(registration.name)\": other hosts have taken each name of the service or of this host that was tried in "
            + "\(time) s; further names are tried; check the log"))
    case (.timerFired, .registering(let attempt)):
      guard attempt < Self.maximumAttempts else {
        return fail(
          DiscoveryError(
            .timedOut,
            "publishing \"\(registration.name)\": the engine neither confirmed nor refused the name within "
              + "\(Self.maximumAttempts * Int(Self.timeout.components.seconds)) s; check its log"))
      }
      return register(attempt: attempt + 1)
    case (.timerFired, .pausing):
      return register(attempt: 1)
    case (.timerFired, .offline), (.timerFired, .established):
      return []

    case (.updated(let txt), .registering), (.updated(let txt), .established):
      registration = registration.replacing(txt: txt)
      return [.updateText(txt)]
    case (.updated(let txt), .offline), (.updated(let txt), .pausing):
      registration = registration.replacing(txt: txt)
      return []
    }
  }

  private mutating func goOffline() {
    if state == .established { nameBefore = registration.name }
    state = .offline
  }

  private mutating func register(attempt: Int) -> [Effect] {
    state = .registering(attempt: attempt)
    switch engine {
    case .daemon: return [.register(registration), .startTimer(Self.timeout)]
    case .builtIn: return [.register(registration)]
    }
  }

  /// Tries the next name, or fails if the name must not change.
  private mutating func rename() -> [Effect] {
    switch registration.conflictPolicy {
    case .rename:
      let taken = registration.name
      conflicts += 1
      if conflicts >= RandomSuffix.conflictLimit, registration.service != nil {
        registration = registration.renamed(to: base).assured(by: RandomSuffix.make(using: &random))
      } else {
        registration = registration.renamed(to: registration.alternativeName(step: numbers.nextStep(using: &random)))
      }
      return [.report(.renamed(from: taken, to: registration.name))] + register(attempt: 1)
    case .fail:
      return fail(registration.nameTaken)
    }
  }

  /// Starts the timer that runs while the built-in engine searches for a name.
  private func beginSearch() -> [Effect] {
    switch engine {
    case .daemon: []
    case .builtIn: [.startTimer(Self.searchTime)]
    }
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
