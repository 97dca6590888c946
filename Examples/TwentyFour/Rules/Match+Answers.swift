/// The actions of guessing players.
extension Match {
  mutating func act(_ id: PlayerID, _ number: Int, _ action: Action, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    do throws(Refusal) {
      switch action {
      case .answer(let text): return try answer(index, number, text, at: now)
      case .giveUp: return giveUp(index, number, at: now)
      case .hint: return try hint(index, number)
      }
    } catch {
      return [.refused(id, error)]
    }
  }

  private mutating func answer(_ index: Int, _ number: Int, _ text: String, at now: Duration) throws(Refusal) -> [Effect] {
    let round = try round(number, guessedBy: index)
    try check(text, against: round.hand)
    let time = min(now - round.start, rules.limit)
    seats[index].status = .solved(time)
    seats[index].points += rules.points(forSolvingAfter: time, hints: seats[index].hints)
    seats[index].best = min(seats[index].best ?? time, time)
    return [.solved(seats[index].player, after: time), .standings(standings)] + endRoundIfDecided(at: now)
  }

  /// Giving up with nothing to guess is not an error.
  private mutating func giveUp(_ index: Int, _ number: Int, at now: Duration) -> [Effect] {
    guard isPlaying, number == roundNumber, seats[index].status.isGuessing else { return [] }
    seats[index].status = .gaveUp
    return [.standings(standings)] + endRoundIfDecided(at: now)
  }

  private mutating func hint(_ index: Int, _ number: Int) throws(Refusal) -> [Effect] {
    let round = try round(number, guessedBy: index)
    guard let hint = Hint.hints(about: round.solution).dropFirst(seats[index].hints).first else { throw .noMoreHints }
    seats[index].hints += 1
    return [.hinted(hint, to: seats[index].player.id), .standings(standings)]
  }

  /// The running round, if it has this number and the player is guessing in it.
  private func round(_ number: Int, guessedBy index: Int) throws(Refusal) -> Round {
    guard case .playing(let round) = phase, number == roundNumber else { throw .noSuchRound }
    switch seats[index].status {
    case .guessing, .joinedAndGuessing: return round
    case .waiting: throw .waiting
    case .solved: throw .alreadySolved
    case .gaveUp, .outOfTime: throw .gaveUp
    }
  }

  private func check(_ text: String, against hand: Hand) throws(Refusal) {
    do {
      _ = try Answer(text, to: hand)
    } catch {
      throw .wrong(error)
    }
  }
}
