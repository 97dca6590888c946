import _BonjourishBase
import _BonjourishDiscovery

extension Querier {
  /// The longest random time by which records are asked for sooner than they may be, in milliseconds. For those that live for two
  /// minutes it is all of their 2 %; others wait, most of the time, until some of these are asked for.
  private static let longestJitter: Int64 = 10_000
  /// The shortest time after which all records are looked through for those that are asked for together, in milliseconds.
  private static let renewalInterval: Int64 = 1000

  /// Asks again for records whose deadline has passed, or removes them.
  mutating func ageRecords(_ step: inout Step) {
    while let slot = cache.deadlines.popFirst(through: step.now) {
      guard cache[slot].expiry > step.now else {
        expire(slot, &step)
        continue
      }
      switch cache[slot].phase {
      case .aging where cache[slot].isUnansweredTwice:
        suspectUnanswered(slot, &step)
      case .aging:
        // One question datagram for all (RFC 6762 §5.3).
        renewalJitter = nil
        askToRenew(slot, &step)
        guard renewed + Self.renewalInterval <= step.now else { continue }
        renewed = step.now
        for other in cache.slotsInUse where cache[other].renewalMark <= step.now { askToRenew(other, &step) }
      case .suspect(let asked):
        cache[slot].phase = .suspect(asked: asked + 1)
        questions.askAgain(cache.key(of: slot), &step)
        scheduleRecord(slot, at: step.now)
      case .leaving:
        scheduleRecord(slot, at: step.now)
      }
    }
  }

  /// Removes a record whose time is up. One that was in doubt may exist after all, if only the answers were lost: then it is asked for
  /// again soon, because the next query of a long series may be an hour away.
  private mutating func expire(_ slot: Int, _ step: inout Step) {
    let (key, phase) = (cache.key(of: slot), cache[slot].phase)
    drop(slot, &step)
    guard case .suspect = phase else { return }
    for question in questions.answered(by: key) { questions.hastenSeries(question, &step) }
  }

  private mutating func askToRenew(_ slot: Int, _ step: inout Step) {
    guard case .aging(let asked) = cache[slot].phase, !cache[slot].isUnansweredTwice else { return }
    cache[slot].phase = .aging(asked: asked + 1)
    if !wasAskedSince(cache[slot].refreshMark(asked), about: slot) { questions.askAgain(cache.key(of: slot), &step) }
    scheduleRefresh(slot, &step)
  }

  private func wasAskedSince(_ moment: Instant, about slot: Int) -> Bool {
    questions.answered(by: cache.key(of: slot))
      .contains { questions[$0].lastAsked.map { $0 >= moment } ?? false }
  }

  /// Schedules the next refresh of a record that a question asks for: before 2 % of its lifetime more have passed (RFC 6762 §5.2), and
  /// as soon as others are asked for within that time. How long before is random, but the same for all records until they are asked
  /// for, so that those that came together are asked for together.
  mutating func scheduleRefresh(_ slot: Int, _ step: inout Step) {
    guard cache[slot].isWanted, case .aging(let asked) = cache[slot].phase, asked < 4 else {
      return scheduleRecord(slot, at: step.now)
    }
    let jitter = renewalJitter ?? Int64.random(in: 0...1000, using: &step.random)
    renewalJitter = jitter
    let (mark, room) = (cache[slot].refreshMark(asked), Int64(cache[slot].timeToLive) * 20)
    cache.deadlines.set(slot, to: mark + (room - min(room, Self.longestJitter) * jitter / 1000))
  }

  /// Starts to refresh a record that a new question asks for. Refreshes that were due earlier are skipped.
  mutating func resumeRefreshing(_ slot: Int, _ step: inout Step) {
    guard cache[slot].standing == .live, case .aging(var asked) = cache[slot].phase else { return }
    while asked < 4, cache[slot].refreshMark(asked + 1) <= step.now { asked += 1 }
    cache[slot].phase = .aging(asked: asked)
    scheduleRefresh(slot, &step)
  }

  /// Sets the deadline of a record that is not refreshed.
  mutating func scheduleRecord(_ slot: Int, at now: Instant) {
    guard cache[slot].standing != .own else { return }
    let expiry = cache[slot].expiry
    switch cache[slot].phase {
    case .aging, .leaving, .suspect(asked: 3...):
      cache.deadlines.set(slot, to: expiry)
    case .suspect(let asked):
      cache.deadlines.set(slot, to: min(expiry, now + (1000 << Int64(asked - 1))))
    }
  }

  /// Ends the series of a question if its whole answer is known, and starts it again if not.
  mutating func reconsiderSeries(_ question: Int, _ step: inout Step) {
    if isWhollyAnswered(questions[question].key) {
      questions.endSeries(question, on: link, &step)
    } else if questions[question].seriesAt == .never {
      questions.startSeries(question, &step)
    }
  }
}
