import MatchServer
import Synchronization

/// What a directory does with owned values, in memory: servers come and go as a test says.
final class MemoryMatches: Sendable {
  private struct State {
    var values: [String: (bytes: [UInt8], owner: Int)] = [:]
    var members: [Int: AsyncStream<MatchStoreChange>.Continuation] = [:]
    /// The members that the directory does not hear.
    var cut: Set<Int> = []
    var removed: [String] = []
  }

  private let state = Mutex(State())
  private let changed: @Sendable () -> Void

  /// - Parameter changed: Called when values have changed.
  init(changed: @escaping @Sendable () -> Void) { self.changed = changed }

  /// The names of the values that there are.
  var names: [String] { state.withLock { $0.values.keys.sorted() } }
  var removed: [String] { state.withLock(\.removed) }

  func bytes(_ name: String) -> [UInt8]? { state.withLock { $0.values[name]?.bytes } }

  /// Writes a value as anybody may, and offers it.
  func forge(_ name: String, _ bytes: [UInt8]) {
    state.withLock { state in
      state.values[name] = (bytes, 0)
      for member in state.members.values { member.yield(.orphaned(name, bytes)) }
    }
  }

  func join(_ number: Int) -> Member {
    let (stream, continuation) = AsyncStream<MatchStoreChange>.makeStream()
    state.withLock { $0.members[number] = continuation }
    return Member(hub: self, number: number, changes: stream)
  }

  /// Lets a member hear nothing any more; it notices when its lease ends.
  func cut(_ number: Int) {
    state.withLock { state in
      state.cut.insert(number)
      for (name, value) in state.values where value.owner == number { state.members[number]?.yield(.doubtful(name)) }
    }
  }

  /// Offers what belongs to members that are cut off.
  func offer() {
    state.withLock { state in
      for (name, value) in state.values where state.cut.contains(value.owner) {
        for (number, member) in state.members where !state.cut.contains(number) { member.yield(.orphaned(name, value.bytes)) }
      }
    }
  }

  /// Lets a member hear again, and tells it what is its own still.
  func heal(_ number: Int, had names: [String]) {
    state.withLock { state in
      state.cut.remove(number)
      for name in names {
        let isOwn = state.values[name]?.owner == number
        state.members[number]?.yield(isOwn ? .owned(name, stored: 0) : .lost(name))
      }
    }
  }

  final class Member: MatchStore {
    private let hub: MemoryMatches
    private let number: Int
    private let changes: AsyncStream<MatchStoreChange>

    init(hub: MemoryMatches, number: Int, changes: AsyncStream<MatchStoreChange>) {
      (self.hub, self.number, self.changes) = (hub, number, changes)
    }

    func put(_ name: String, _ bytes: [UInt8], version: UInt64) {
      change { state in
        if let value = state.values[name], value.owner != number { return .lost(name) }
        state.values[name] = (bytes, number)
        return .owned(name, stored: version)
      }
    }

    func remove(_ name: String) {
      change { state in
        if state.values[name]?.owner == number { state.values[name] = nil }
        state.removed.append(name)
        return nil
      }
    }

    func take(_ name: String) {
      change { state in
        guard let value = state.values[name], value.owner == 0 || state.cut.contains(value.owner) else { return .lost(name) }
        state.values[name]!.owner = number
        return .owned(name, stored: 0)
      }
    }

    func ignore(_ name: String) {}

    func reconsider(_ name: String) {
      change { state in state.values[name].flatMap { $0.owner == 0 ? .orphaned(name, $0.bytes) : nil } }
    }

    func release(_ name: String) {
      change { state in
        if state.values[name]?.owner == number { state.values[name]!.owner = 0 }
        return nil
      }
    }

    func nextChange() async -> MatchStoreChange? {
      for await change in changes { return change }
      return nil
    }

    private func change(_ body: (inout State) -> MatchStoreChange?) {
      hub.state.withLock { state in
        guard !state.cut.contains(number), let change = body(&state) else { return }
        state.members[number]?.yield(change)
      }
      hub.changed()
    }
  }
}
