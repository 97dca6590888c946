/// What those who are guessing do.
extension Match {
  mutating func answer(_ id: PlayerID, _ number: Int, _ text: String, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    let round: Round
    do {
      round = try self.round(number, guessedBy: index)
      try check(text, against: round.hand)
    } catch {
      return [.answerRefused(id, error)]
    }
    let time = min(now - round.start, rules.roundDuration)
    seats[index].status = .solved(time)
    seats[index].points += rules.points(forSolvingAfter: time, hints: seats[index].hints)
    seats[index].best = min(seats[index].best ?? time, time)
    return [.solved(seats[index].player, after: time), .standings(standings)] + endRoundIfDecided(at: now)
  }

  mutating func giveUp(_ id: PlayerID, _ number: Int, at now: Duration) -> [Effect] {
    guard let index = seat(of: id), isPlaying, number == roundNumber, seats[index].status.isGuessing else { return [] }
    seats[index].status = .gaveUp
    return [.standings(standings)] + endRoundIfDecided(at: now)
  }

  mutating func hint(_ id: PlayerID, _ number: Int) -> [Effect] {
    guard let index = seat(of: id), !isOver else { return [] }
    let round: Round
    do {
      round = try self.round(number, guessedBy: index)
    } catch {
      return [.hintRefused(id, .notGuessing(error))]
    }
    guard let hint = Hint.hints(about: round.solution).dropFirst(seats[index].hints).first else {
      return [.hintRefused(id, .noneLeft)]
    }
    seats[index].hints += 1
    return [.hinted(hint, to: id), .standings(standings)]
  }

  /// The running round, if it has this number and someone is guessing in it.
  private func round(_ number: Int, guessedBy index: Int) throws(AnswerRefusal) -> Round {
    guard case .playing(let round) = phase, number == roundNumber else { throw .noSuchRound }
    switch seats[index].status {
    case .guessing, .joinedAndGuessing: return round
    case .waiting: throw .waiting
    case .solved: throw .alreadySolved
    case .gaveUp, .outOfTime: throw .gaveUp
    }
  }

  private func check(_ text: String, against hand: Hand) throws(AnswerRefusal) {
    do {
      _ = try Answer(text, to: hand)
    } catch {
      throw .wrong(error)
    }
  }
}
