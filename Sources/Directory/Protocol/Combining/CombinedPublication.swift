package import _BonjourishDiscovery

/// The state machine of a service that is published on the local network and in a directory under one name.
///
/// When one side has to rename the service, it is published again under that name on the other. It counts as established while one
/// side has it and the other is away.
package struct CombinedPublication {
  package enum Effect: Hashable, Sendable {
    case publish(CombinedSide, Registration)
    case update(CombinedSide, TXTRecord)
    case end(CombinedSide)
    case report(RegistrationEvent)
  }

  private enum Phase {
    case starting, established, away
  }

  private var registration: Registration
  private var phases: [CombinedSide: Phase]
  /// What was reported last.
  private var isEstablished = false
  private var isInterrupted = false
  private var hasFailed = false

  /// - Parameters:
  ///   - registration: What to publish.
  ///   - sides: Where.
  package init(_ registration: Registration, on sides: Set<CombinedSide>) {
    self.registration = registration
    phases = Dictionary(sides.map { ($0, .starting) }) { first, _ in first }
  }

  package func start() -> [Effect] { sides.map { .publish($0, registration) } }

  package mutating func update(_ txt: TXTRecord) -> [Effect] {
    guard !hasFailed else { return [] }
    registration = registration.replacing(txt: txt)
    return sides.map { .update($0, txt) }
  }

  private var sides: [CombinedSide] { CombinedSide.allCases.filter { phases[$0] != nil } }

  /// Handles an event of one side's current publication.
  package mutating func handle(_ event: RegistrationEvent, from side: CombinedSide) -> [Effect] {
    guard !hasFailed, phases[side] != nil else { return [] }
    switch event {
    case .established(let name):
      guard name == registration.name else { return [] }
      phases[side] = .established
      return judge(nil)
    case .renamed(let former, let new):
      guard former == registration.name else { return [] }
      registration = registration.renamed(to: new)
      phases[side] = .starting
      isEstablished = false
      var effects: [Effect] = [.report(.renamed(from: former, to: new))]
      for other in sides where other != side {
        phases[other] = .starting
        effects += [.end(other), .publish(other, registration)]
      }
      return effects
    case .interrupted(let error):
      phases[side] = .away
      return judge(error)
    case .failed(let error):
      hasFailed = true
      return sides.filter { $0 != side }.map { .end($0) } + [.report(.failed(error))]
    }
  }

  private mutating func judge(_ error: DiscoveryError?) -> [Effect] {
    if phases.values.contains(.starting) { return [] }
    if phases.values.contains(.established) {
      guard !isEstablished else { return [] }
      (isEstablished, isInterrupted) = (true, false)
      return [.report(.established(registration.name))]
    }
    guard let error, !isInterrupted else { return [] }
    (isEstablished, isInterrupted) = (false, true)
    return [.report(.interrupted(error))]
  }
}
