/// The instances that wait for their turn to be resolved.
///
/// It takes in rotation the oldest new instance, the newest new instance, and the oldest of those that had a turn without a
/// result. So an instance gets its turn even if thousands are before it, or new ones keep coming after it.
struct TurnQueue {
  private enum Choice {
    case oldest, newest, again
  }

  /// The new instances in the order of arrival, from `head`. Entries whose number is not in `numbers` are skipped.
  private var line: [(instance: ServiceInstance, number: Int)] = []
  private var head = 0
  /// The instances that had a turn without a result, in the same form, from `againHead`.
  private var again: [(instance: ServiceInstance, number: Int)] = []
  private var againHead = 0
  private var numbers: [ServiceInstance: Int] = [:]
  private var nextNumber = 0
  private var choice = Choice.oldest

  var isEmpty: Bool { numbers.isEmpty }

  /// An upper bound of the number of instances that have not had a turn.
  var unaskedBound: Int { line.count - head }

  /// Adds an instance that is not in the queue.
  ///
  /// - Parameter hadTurn: Whether the instance has had a turn without a result.
  mutating func append(_ instance: ServiceInstance, hadTurn: Bool) {
    numbers[instance] = nextNumber
    if hadTurn { again.append((instance, nextNumber)) } else { line.append((instance, nextNumber)) }
    nextNumber += 1
    if line.count + again.count > 2 * numbers.count + 64 { compact() }
  }

  mutating func remove(_ instance: ServiceInstance) {
    numbers[instance] = nil
  }

  /// Removes and returns the next instance; nil when the queue is empty.
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

  /// Removes and returns the oldest instance that has not had a turn; nil when there is none. Does not change the rotation.
  mutating func popUnasked() -> ServiceInstance? {
    while head < line.count {
      let candidate = line[head]
      head += 1
      guard numbers[candidate.instance] == candidate.number else { continue }
      numbers[candidate.instance] = nil
      return candidate.instance
    }
    return nil
  }

  /// Returns the next entry of the rotation, which may no longer be in the queue.
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
