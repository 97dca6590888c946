import TwentyFour

/// Updates about who came and went, at a bounded rate.
extension RoomMachine {
  /// Tells everyone that somebody came or went, now or together with later updates.
  mutating func update(_ event: RoomEvent) -> [HostEffect] {
    guard !isWithholding else {
      if case .standings = event { withheld.hasStandings = true } else { withheld.add(event) }
      return []
    }
    hasUpdated = true
    return [.broadcast(room, event)]
  }

  /// Tells everyone something that cannot wait, after everything that has waited.
  mutating func broadcastAtOnce(_ event: RoomEvent) -> [HostEffect] {
    toldWhatWasWithheld() + [.broadcast(room, event)]
  }

  mutating func toldWhatWasWithheld() -> [HostEffect] {
    guard isOpen, !withheld.isEmpty else { return [] }
    let updates = withheld
    withheld = WithheldUpdates()
    withheld.hasMissing = updates.hasMissing
    hasUpdated = true
    return updates.presence.map { .broadcast(room, $0) }
      + updates.admissions.filter { clients[$0]?.role.isAdmitted == true }.map { .admit($0, to: room) }
      + (updates.hasStandings ? [.broadcast(room, .standings(standings))] : [])
  }

  /// Admits a connection; not before everyone else was told what it knows already.
  mutating func admission(of id: ConnectionID) -> HostEffect {
    guard isWithholding, !withheld.presence.isEmpty else { return .admit(id, to: room) }
    withheld.admissions.append(id)
    return .keep(id)
  }
}

extension RoomMachine.Role {
  /// Whether the connection gets the events for all.
  var isAdmitted: Bool {
    switch self {
    case .player, .spectator: true
    case .stranger, .applicant: false
    }
  }
}
