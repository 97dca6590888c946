/// Instances that wait for their turn to be resolved.
///
/// Served by turns are the one that has waited longest, the one that came last, and of those that have had a turn in vain the
/// one whose turn was the longest ago. So neither thousands before it nor a stream of others after it keep one from its turn.
struct TurnQueue {
  private enum Choice {
    case oldest, newest, again
  }

  /// In the order in which they came, beginning at `head`; those that are no members any more, or have another number, are
  /// passed over.
  private var line: [(instance: ServiceInstance, number: Int)] = []
  private var head = 0
  private var again: [(instance: ServiceInstance, number: Int)] = []
  private var againHead = 0
  private var numbers: [ServiceInstance: Int] = [:]
  private var nextNumber = 0
  private var choice = Choice.oldest

  var isEmpty: Bool { numbers.isEmpty }

  /// How many at most have not had a turn.
  var newcomerBound: Int { line.count - head }

  /// Adds an instance that is not there.
  ///
  /// - Parameter hadTurn: Whether it has had a turn in vain.
  mutating func append(_ instance: ServiceInstance, hadTurn: Bool) {
    numbers[instance] = nextNumber
    if hadTurn { again.append((instance, nextNumber)) } else { line.append((instance, nextNumber)) }
    nextNumber += 1
    if line.count + again.count > 2 * numbers.count + 64 { compact() }
  }

  mutating func remove(_ instance: ServiceInstance) {
    numbers[instance] = nil
  }

  /// Takes out the next; nil when there is none.
  mutating func popNext() -> ServiceInstance? {
    while !isEmpty {
      let candidate = nextCandidate()
      if let candidate, numbers[candidate.instance] == candidate.number {
        numbers[candidate.instance] = nil
        return candidate.instance
      }
    }
    (line, head, again, againHead) = ([], 0, [], 0)
    return nil
  }

  /// Takes out the one that has waited longest of those without a turn; nil when there is none. Counts as nobody's turn.
  mutating func popNewcomer() -> ServiceInstance? {
    while head < line.count {
      let candidate = line[head]
      head += 1
      guard numbers[candidate.instance] == candidate.number else { continue }
      numbers[candidate.instance] = nil
      return candidate.instance
    }
    return nil
  }

  /// Whoever stands in the next place, a member or not.
  private mutating func nextCandidate() -> (instance: ServiceInstance, number: Int)? {
    switch choice {
    case .oldest:
      choice = .newest
      guard head < line.count else { return nil }
      head += 1
      return line[head - 1]
    case .newest:
      choice = .again
      return head < line.count ? line.removeLast() : nil
    case .again:
      choice = .oldest
      guard againHead < again.count else { return nil }
      againHead += 1
      return again[againHead - 1]
    }
  }

  private mutating func compact() {
    line = line[head...].filter { numbers[$0.instance] == $0.number }
    again = again[againHead...].filter { numbers[$0.instance] == $0.number }
    (head, againHead) = (0, 0)
  }
}
