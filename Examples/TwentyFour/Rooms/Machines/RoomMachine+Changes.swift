import TwentyFour

/// What follows from a change, whatever has made it.
extension RoomMachine {
  mutating func advertisementIfChanged() -> [HostEffect] {
    let advertisement = self.advertisement
    guard isOpen, advertisement != advertised else { return [] }
    advertised = advertisement
    return [.advertise(advertisement.pairs)]
  }

  mutating func tokenIfChanged(at now: Duration) -> [HostEffect] {
    guard isOpen, let token = webAdmission.refresh(at: now) else { return [] }
    return [.show(token)]
  }

  mutating func wakeIfChanged() -> [HostEffect] {
    let next = nextDeadline
    guard next != wake else { return [] }
    wake = next
    return [.wake(room, at: next)]
  }

  /// The time of the next change without an event; nil for none.
  var nextDeadline: Duration? {
    let update = withheld.isEmpty ? nil : budget.opening
    return isOpen ? [match.nextDeadline, applicantDeadline, update, webAdmission.nextDeadline].compactMap(\.self).min() : nil
  }

  mutating func spectatorsIfChanged() -> [HostEffect] {
    // Counting looks at all connections, of which strangers may make many.
    guard isOpen, seating != spectatorsReported.seating else { return [] }
    let (count, former) = (spectatorCount, spectatorsReported.count)
    spectatorsReported = (count, seating)
    return count == former ? [] : [.report(room, .spectators(count))]
  }

  /// Tells the number of missing players when it changes, and always to new connections.
  mutating func missingIfChanged() -> [HostEffect] {
    let missing = match.missingPlayers
    defer { welcomed = [] }
    guard isOpen else { return [] }
    if isWithholding, missing != missingReported {
      withheld.hasMissing = true
      return missing > 0 ? welcomed.map { .send(.event(.missing(missing)), to: $0) } : []
    }
    withheld.hasMissing = false
    guard missing == missingReported else {
      missingReported = missing
      return [.broadcast(room, .missing(missing))]
    }
    return missing > 0 ? welcomed.map { .send(.event(.missing(missing)), to: $0) } : []
  }
}
