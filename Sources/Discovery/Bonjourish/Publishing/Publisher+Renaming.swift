import _BonjourishDiscovery
import _BonjourishEventLoop

/// Another name at the app's wish: the new name is established first, and then the former one is withdrawn.
extension Publisher {
  /// A name that is being established beside the current one. Part of the publisher's state, and used on it only.
  final class Candidate {
    enum Outcome {
      case waiting(outage: DiscoveryError?)
      case established
      case failed(DiscoveryError)
    }

    let id = OperationID()
    var registration: Registration
    var outcome = Outcome.waiting(outage: nil)
    let waiter = Waiter()
    let timer: DeadlineTimer

    init(_ registration: Registration, _ time: MonotonicClock) {
      self.registration = registration
      timer = DeadlineTimer(time)
    }
  }

  /// Returns when the new name, or an alternative to it, is established and the former is withdrawn.
  ///
  /// - Throws: The reason why the former name is kept.
  func rename(to new: InstanceName) async throws(DiscoveryError) {
    switch state {
    case .failed(let error): throw error
    case .stopped: throw DiscoveryError(.cancelled, "renaming \"\(name)\": the service has been withdrawn")
    case .starting, .established, .interrupted: break
    }
    guard candidate == nil else {
      throw DiscoveryError(.refused, "renaming \"\(name)\" to \"\(new)\": another name is being established; wait for it")
    }
    guard new.text != name.text else {
      requested = new
      return
    }
    let candidate = Candidate(registration.renamed(to: new), time)
    self.candidate = candidate
    // Names that differ in the case of letters only are one name, which cannot be published twice.
    let isSame = new == name
    if isSame { backend.end(id) }
    publish(candidate.registration, as: candidate.id)
    await candidate.waiter.wait {
      if case .waiting = candidate.outcome { true } else { false }
    }
    switch candidate.outcome {
    case .established: return
    case .failed(let error): try giveUp(candidate, error, isWithdrawn: isSame)
    case .waiting:
      try giveUp(
        candidate, DiscoveryError(.cancelled, "renaming \"\(name)\" to \"\(new)\" was cancelled"), isWithdrawn: isSame)
    }
  }

  private func giveUp(_ failed: Candidate, _ error: DiscoveryError, isWithdrawn: Bool) throws(DiscoveryError) {
    // The scope may have ended meanwhile.
    if candidate === failed {
      endCandidate()
      if isWithdrawn {
        id = OperationID()
        publish(registration.renamed(to: name), as: id)
      }
    }
    throw error
  }

  /// - Parameter error: Why; nil if it is cancelled.
  func endCandidate(because error: DiscoveryError? = nil) {
    guard let candidate = candidate.take() else { return }
    candidate.timer.cancel()
    backend.end(candidate.id)
    if case .waiting = candidate.outcome {
      candidate.outcome = .failed(
        error ?? DiscoveryError(.cancelled, "renaming \"\(name)\" to \"\(candidate.registration.name)\" was cancelled"))
    }
    candidate.waiter.wake()
  }

  func receive(_ event: RegistrationEvent, of candidate: Candidate) {
    switch event {
    case .renamed: break
    case .established(let name): adopt(candidate, as: name)
    case .interrupted(let error):
      guard case .waiting(outage: nil) = candidate.outcome else { return }
      candidate.outcome = .waiting(outage: error)
      candidate.timer.set(time.now() + Self.timeout, on: self) { $0.candidateTimeoutEnds() }
    case .failed(let error):
      candidate.outcome = .failed(error)
      candidate.waiter.wake()
    }
  }

  private func candidateTimeoutEnds() {
    guard let candidate, case .waiting(let outage?) = candidate.outcome else { return }
    candidate.outcome = .failed(outage)
    candidate.waiter.wake()
  }

  /// Withdraws the former name, and goes on with the new one.
  private func adopt(_ candidate: Candidate, as name: InstanceName) {
    backend.end(id)
    id = candidate.id
    registration = candidate.registration
    requested = candidate.registration.name
    let former = self.name
    establish(name)
    candidate.timer.cancel()
    candidate.outcome = .established
    self.candidate = nil
    events.tell(.renamed(from: former, to: name))
    if case .interrupted = state { events.tell(.restored) }
    state = .established
    candidate.waiter.wake()
  }
}
