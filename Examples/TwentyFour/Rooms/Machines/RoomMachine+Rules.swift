public import TwentyFour

/// The decisions of whoever runs the room.
extension RoomMachine {
  /// The time for which a new player waits until the host decides.
  static let approvalLimit = Duration.seconds(60)

  /// Carries out a decision, and reports it, or the reason why it was not possible, to the host.
  mutating func decide(_ rule: HostRule, at now: Duration) -> [HostEffect] {
    guard isOpen else { return [] }
    switch rule {
    case .kick(let player): return remove(player, by: rule, because: .kicked, at: now)
    case .ban(let player):
      let peer = peers[player] ?? applicant(player)?.peer
      // Of a player who has not come back since a restart, nothing is known that could be banned.
      guard let peer else { return remove(player, by: .kick(player), because: .kicked, at: now) }
      let effects = remove(player, by: rule, because: .banned, at: now)
      bans.ban(player, peer)
      return effects
    case .unban(let player):
      return [.report(room, bans.lift(player) ? .rule(rule, nil) : .refused(.noSuchBan(player)))]
    case .lock(let isOn):
      isLocked = isOn
      return [.report(room, .rule(rule, nil))]
    case .approve(let isOn):
      approves = isOn
      return [.report(room, .rule(rule, nil))]
    // The shell has done it.
    case .reopen: return [.report(room, .rule(rule, nil))]
    case .start:
      guard match.isBeforeFirstRound else { return [.report(room, .refused(.hasBegun))] }
      return [.report(room, .rule(rule, nil))] + apply(.start, at: now)
    case .next:
      guard match.isPlaying else { return [.report(room, .refused(.noRound))] }
      return [.report(room, .rule(rule, nil))] + apply(.endRound, at: now)
    case .end:
      guard match.roundNumber > 0, !match.hasEnded else { return [.report(room, .refused(.notBegun))] }
      return [.report(room, .rule(rule, nil))] + apply(.end, at: now)
    case .again:
      guard match.hasEnded else { return [.report(room, .refused(.notOver))] }
      return [.report(room, .rule(rule, nil))] + apply(.again, at: now)
    case .admit(let player): return admit(player, by: rule, at: now)
    case .refuse(let player):
      guard let (id, _, applicant) = applicant(player) else { return [.report(room, .refused(.noSuchPlayer(player)))] }
      return [.report(room, .rule(rule, applicant.player))] + dismiss(id, because: .notApproved, at: now)
    }
  }

  /// Removes a player, away or not, or a new player who waits.
  private mutating func remove(
    _ id: PlayerID, by rule: HostRule, because reason: RoomReason, at now: Duration
  ) -> [HostEffect] {
    if let (id, _, applicant) = applicant(id) {
      return [.report(room, .rule(rule, applicant.player))] + dismiss(id, because: reason, at: now)
    }
    webAdmission.revokePasses(of: .init(room: room, player: id))
    guard let player = match.players.first(where: { $0.id == id }), player != own else {
      return [.report(room, .refused(.noSuchPlayer(id)))]
    }
    let report = HostEffect.report(room, .rule(rule, player))
    if let connection = connection(of: id) { return [report] + dismiss(connection, because: reason, at: now) }
    return [report] + apply(.leave(id), at: now)
  }

  /// Whether the host can decide about a player with this number: one at a seat, or a new player who waits.
  public func knows(_ player: PlayerID) -> Bool {
    applicant(player) != nil || (match.players.contains { $0.id == player } && player != own?.id)
  }

  // MARK: - New players who wait

  mutating func letWait(
    _ player: Player, spectates: Bool, _ used: WebAdmission.Used?, over id: ConnectionID, at now: Duration
  ) -> [HostEffect] {
    let applicant = Applicant(player: player, spectates: spectates, deadline: now + Self.approvalLimit, used: used)
    clients[id]?.role = .applicant(applicant)
    seating += 1
    return [.keep(id), .send(.approval(within: Self.approvalLimit), to: id), .report(room, .asked(player))]
  }

  private mutating func admit(_ player: PlayerID, by rule: HostRule, at now: Duration) -> [HostEffect] {
    guard let (id, _, applicant) = applicant(player) else { return [.report(room, .refused(.noSuchPlayer(player)))] }
    seating += 1
    let report = HostEffect.report(room, .rule(rule, applicant.player))
    return [report] + (applicant.spectates ? letSpectate(id, at: now) : letPlay(applicant.player, over: id, at: now))
  }

  mutating func sendAwayLateApplicants(at now: Duration) -> [HostEffect] {
    applicants.filter { $0.applicant.deadline <= now }.flatMap {
      giveBack(to: $0.id)
      return dismiss($0.id, because: .unanswered, at: now)
    }
  }

  /// Gives a new player who goes without an answer of the host back what it used up, so that it can ask again.
  mutating func giveBack(to id: ConnectionID) {
    if case .applicant(let applicant)? = clients[id]?.role, let used = applicant.used { webAdmission.restore(used) }
  }

  var applicantDeadline: Duration? { applicants.map(\.applicant.deadline).min() }

  private func applicant(_ player: PlayerID) -> (id: ConnectionID, peer: Peer, applicant: Applicant)? {
    applicants.first { $0.applicant.player.id == player }
  }

  /// The new players who wait, in the order of their coming.
  var applicants: [(id: ConnectionID, peer: Peer, applicant: Applicant)] {
    // None, unless the host asked for it.
    clients.compactMap { id, client in
      if case .applicant(let applicant) = client.role { (id, client.peer, applicant) } else { nil }
    }.sorted { $0.id < $1.id }
  }
}
