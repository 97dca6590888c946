import Bonjourish
import Rooms

/// A server's part in its group: lists its matches, stores them, and goes on with those of servers that are gone.
///
/// Without a group it only lists them.
actor GroupMember {
  /// What is known of a match.
  private struct Kept {
    var serial: UInt64
    let succession: Succession
    var snapshot: CarriedMatch?
    /// How many events had happened at the writes that are not confirmed.
    var marks: [(serial: UInt64, count: Int)] = []
    var stored: UInt64 = 0
    var listed: ListedMatch?
    /// The match while another server may have it.
    var suspended: CarriedMatch?
    var isOver = false
  }

  private let shell: HostShell<ServerMachine>
  private let group: MatchGroup?
  private let journal: MatchJournal?
  private let terms: ListedMatch.Terms?
  private var kept: [RoomID: Kept] = [:]
  /// The orphans that are being taken.
  private var taking: [RoomID: StoredMatch] = [:]
  /// The highest serial of each match that was seen, so that no older state is taken for the newest.
  private var seen: [RoomID: UInt64] = [:]
  private var turn: Task<Void, Never>?

  private static let seenLimit = 65_536
  /// The most matches that are looked at in one step of the connections' thread.
  private static let slice = 64

  init(
    _ shell: HostShell<ServerMachine>, _ group: MatchGroup?, _ journal: MatchJournal?, listing terms: ListedMatch.Terms?
  ) {
    self.shell = shell
    self.group = group
    self.journal = journal
    self.terms = terms
  }

  /// Runs until the task is cancelled.
  nonisolated func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        while !Task.isCancelled {
          await self.inTurn { await self.look() }
          try? await Task.sleep(for: .seconds(1))
        }
      }
      guard let store = group?.store else { return }
      tasks.addTask {
        while let change = await store.nextChange() { await self.inTurn { await self.handle(change) } }
      }
    }
  }

  /// Stores the last states, and returns when they are, or after three seconds; then withdraws what is listed.
  func finish() async {
    await inTurn { await self.look() }
    for _ in 0..<60 where kept.values.contains(where: { $0.stored < $0.serial && $0.suspended == nil }) {
      try? await Task.sleep(for: .milliseconds(50))
    }
    for match in kept.values { await match.listed?.end() }
  }

  /// Runs one thing after another, although each of them waits for the shell.
  private func inTurn(_ body: @escaping @Sendable () async -> Void) async {
    let before = turn
    let task = Task {
      await before?.value
      await body()
    }
    turn = task
    await task.value
  }

  // MARK: - Own matches

  /// Looks at the matches of the server, and stores and lists what has changed.
  private func look() async {
    let all = await shell.read { machine, _ in machine.listedRooms }
    var rooms: Set<RoomID> = []
    for start in stride(from: 0, to: all.count, by: Self.slice) {
      let slice = all[start..<min(start + Self.slice, all.count)]
      rooms.formUnion(await look(at: slice))
    }
    // Those that were over before they were stored: no other server can have had them.
    let waiting = (journal?.waiting ?? []).filter { kept[$0] == nil && taking[$0] == nil }
    for room in await shell.read({ machine, _ in waiting.filter(machine.ended.contains) }) {
      journal?.flush(room, to: .max)
      journal?.forget(room)
    }
    for (room, match) in kept where !rooms.contains(room) && match.suspended == nil && !match.isOver {
      await end(room)
    }
  }

  /// Looks at a few matches at once, so that the players of a large server wait for no more.
  ///
  /// - Returns: Those that there still are.
  private func look(at slice: ArraySlice<RoomID>) async -> [RoomID] {
    let present = await shell.read { [journal] machine, now in
      slice.compactMap { room in
        machine.carried(room, at: now).map { ($0, machine.pairs(of: room), journal?.count(of: room) ?? 0) }
      }
    }
    for (match, pairs, count) in present {
      let room = match.id
      if kept[room] == nil { kept[room] = Kept(serial: 0, succession: Succession(publisher: .random(in: 1 ... .max))) }
      list(match, pairs)
      guard kept[room]!.snapshot != match, kept[room]!.suspended == nil else { continue }
      kept[room]!.snapshot = match
      store(match, room, count)
    }
    return present.map(\.0.id)
  }

  private func list(_ match: CarriedMatch, _ pairs: [String: String]) {
    guard let terms, let name = try? InstanceName(match.name) else { return }
    let pairs = shell.protected(pairs)
    if let listed = kept[match.id]!.listed { return listed.advertise(pairs) }
    kept[match.id]!.listed = ListedMatch(name, pairs, kept[match.id]!.succession, terms)
  }

  private func store(_ match: CarriedMatch?, _ room: RoomID, _ count: Int) {
    guard let group else { return }
    kept[room]!.serial += 1
    let serial = kept[room]!.serial
    note(room, serial)
    kept[room]!.marks.append((serial, count))
    let stored = StoredMatch(serial: serial, publisher: kept[room]!.succession.publisher, match: match)
    do {
      try group.store.put(room.text, stored.sealed(with: group.key, as: room.text), version: serial)
    } catch {
      group.tell(.unusable(room.text, reason: "\(error)"))
    }
  }

  /// Ends what is over here. Only when the end is stored, it is told, and the value is removed.
  private func end(_ room: RoomID) async {
    await kept[room]?.listed?.end()
    guard kept[room] != nil else { return }
    guard group != nil else { return kept[room] = nil }
    kept[room]!.listed = nil
    kept[room]!.isOver = true
    store(nil, room, journal?.count(of: room) ?? 0)
  }

  private func note(_ room: RoomID, _ serial: UInt64) {
    if seen.count >= Self.seenLimit, seen[room] == nil {
      for room in seen.keys.prefix(Self.seenLimit / 2) where kept[room] == nil { seen[room] = nil }
    }
    seen[room] = max(seen[room] ?? 0, serial)
  }

  // MARK: - The store

  private func handle(_ change: MatchStoreChange) async {
    switch change {
    case .owned(let name, let stored): if let room = RoomID(name) { await owned(room, stored) }
    case .doubtful(let name): if let room = RoomID(name) { await doubtful(room) }
    case .lost(let name): if let room = RoomID(name) { await lost(room) }
    case .failed(let name, let reason): group?.tell(.unusable(name, reason: reason))
    case .orphaned(let name, let bytes): await orphaned(name, bytes)
    }
  }

  private func owned(_ room: RoomID, _ stored: UInt64) async {
    if let taken = taking.removeValue(forKey: room) { return await adopt(room, taken) }
    guard kept[room] != nil else { return }
    kept[room]!.stored = max(kept[room]!.stored, stored)
    while let mark = kept[room]!.marks.first, mark.serial <= stored {
      journal?.flush(room, to: mark.count)
      kept[room]!.marks.removeFirst()
    }
    if let suspended = kept[room]!.suspended {
      kept[room]!.suspended = nil
      await shell.handle(.command(.adopt(suspended)))
      journal?.resume(room)
      group?.tell(.resumed(suspended.name))
    }
    guard kept[room]!.isOver, kept[room]!.stored == kept[room]!.serial else { return }
    kept[room] = nil
    journal?.forget(room)
    seen[room] = .max
    group?.store.remove(room.text)
  }

  private func doubtful(_ room: RoomID) async {
    guard let match = kept[room], match.suspended == nil, !match.isOver else { return }
    // What is not written down while another may write it is not told either.
    guard let carried = await shell.read({ machine, now in machine.carried(room, at: now) }) else { return }
    kept[room]!.suspended = carried
    journal?.pause(room)
    await shell.handle(.command(.suspendMatch(room)))
    group?.tell(.suspended(carried.name))
  }

  private func lost(_ room: RoomID) async {
    taking[room] = nil
    guard let match = kept.removeValue(forKey: room) else { return }
    journal?.pause(room)
    await shell.handle(.command(.suspendMatch(room)))
    journal?.forget(room, isClosed: true)
    if let carried = match.suspended ?? match.snapshot { group?.tell(.lost(carried.name)) }
    // Its record was replaced, so there is nothing to wait for: `deinit` ends its listing.
  }

  // MARK: - The matches of others

  private func orphaned(_ name: String, _ bytes: [UInt8]) async {
    guard let group else { return }
    func refuse(_ reason: String?) {
      group.store.ignore(name)
      if let reason { group.tell(.unusable(name, reason: reason)) }
    }
    guard let stored = StoredMatch(opening: bytes, with: group.key, as: name), let room = RoomID(name) else {
      return refuse("it was not written by a server with this key")
    }
    guard stored.serial >= seen[room] ?? 0 else { return refuse("it is older than what was seen of this match") }
    note(room, stored.serial)
    if let match = stored.match {
      let (isDraining, canAdopt) = await shell.read { machine, _ in (machine.isDraining, machine.canAdopt(match)) }
      guard !isDraining, kept[room] == nil else { return refuse(nil) }
      guard canAdopt else { return refuse("there is no place for it here, or it is damaged") }
    }
    taking[room] = stored
    group.store.take(name)
  }

  private func adopt(_ room: RoomID, _ stored: StoredMatch) async {
    guard let group else { return }
    guard let match = stored.match else {
      // Over: its server has died before it removed it.
      seen[room] = .max
      return group.store.remove(room.text)
    }
    let succession = Succession(publisher: .random(in: 1 ... .max), after: stored.publisher)
    kept[room] = Kept(serial: stored.serial, succession: succession)
    await shell.handle(.command(.adopt(match)))
    group.tell(.adopted(match.name))
    // Written at once, so that whoever comes next knows who lists it.
    await look()
  }
}
