import Bonjourish
import Rooms

/// Runs a ``Membership``: surveys the server, seals and opens its matches, and lists them.
///
/// Without a group it only lists them.
actor GroupMember {
  private let shell: HostShell<ServerMachine>
  private let group: MatchGroup?
  private let journal: MatchJournal?
  private let terms: AdvertisedMatch.Terms?
  private var membership: Membership
  private var advertised: [RoomID: AdvertisedMatch] = [:]
  /// The advertisements that are being withdrawn.
  private var withdrawing: Task<Void, Never>?
  private var isSurveyDue = false
  private var turn: Task<Void, Never>?

  /// The time between two looks at the clock.
  private static let beat: Duration = .milliseconds(250)
  /// The most matches that are looked at in one step of the connections' thread, so that the players of a large server wait for no more.
  private static let slice = 64

  init(
    _ shell: HostShell<ServerMachine>, _ group: MatchGroup?, _ journal: MatchJournal?, advertising terms: AdvertisedMatch.Terms?
  ) {
    self.shell = shell
    self.group = group
    self.journal = journal
    self.terms = terms
    membership = Membership(isInGroup: group != nil)
  }

  /// Runs until the task is cancelled.
  nonisolated func run() async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        while !Task.isCancelled {
          await self.inTurn { await self.survey() }
          for _ in 0..<4 {
            try? await Task.sleep(for: Self.beat)
            await self.inTurn { await self.handle(.timePassed) }
          }
        }
      }
      guard let store = group?.store else { return }
      tasks.addTask {
        while let change = await store.nextChange() { await self.inTurn { await self.handle(change) } }
      }
    }
  }

  /// Stores the last states, and returns when they are, or after three seconds; then withdraws what is advertised.
  func finish() async {
    await inTurn {
      await self.handle(.ends)
      await self.survey()
    }
    for _ in 0..<60 where !membership.isSettled { try? await Task.sleep(for: .milliseconds(50)) }
    for match in advertised.values { await match.end() }
    await withdrawing?.value
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

  // MARK: - Events

  /// Passes in the present states of the matches.
  private func survey() async {
    isSurveyDue = false
    let rooms = await shell.read { machine, _ in machine.advertisedRooms }
    for start in stride(from: 0, to: rooms.count, by: Self.slice) {
      // In time also when there are thousands.
      if start % (8 * Self.slice) == 0 { await handle(.timePassed) }
      let slice = rooms[start..<min(start + Self.slice, rooms.count)]
      await handle(.seen(shell.read { [journal] machine, now in machine.running(slice, journal, at: now) }))
    }
    let known = membership.rooms + (journal?.waiting ?? [])
    await handle(.surveyed(shell.read { [journal] machine, _ in machine.survey(of: known, journal) }))
  }

  private func handle(_ change: MatchStoreChange) async {
    switch change {
    case .owned(let name, let stored): if let room = RoomID(name) { await handle(.owned(room, stored: stored)) }
    case .doubtful(let name): if let room = RoomID(name) { await handle(.doubtful(room)) }
    case .lost(let name): if let room = RoomID(name) { await handle(.lost(room)) }
    case .failed(let name, let reason): if let room = RoomID(name) { await handle(.failed(room, reason: reason)) }
    case .orphaned(let name, let bytes):
      guard let group else { return }
      if let stored = StoredMatch(opening: bytes, with: group.key, as: name), let room = RoomID(name) {
        await handle(.orphaned(room, stored))
      } else {
        group.store.ignore(name)
        group.tell(.unusable(name, reason: "it was not written by a server with this key"))
      }
    }
    if isSurveyDue { await survey() }
  }

  private func handle(_ event: Membership.Event) async {
    let now = await shell.read { _, now in now }
    for effect in membership.handle(event, at: now) { await run(effect) }
  }

  // MARK: - Effects

  private func run(_ effect: Membership.Effect) async {
    switch effect {
    case .server(let request):
      let answer = await shell.change { machine, now in machine.answer(request, at: now) }
      if let answer { await handle(.answered(answer)) }
    case .survey: isSurveyDue = true
    case .put(let room, let match): await put(match, room)
    case .take(let room): group?.store.take(room.text)
    case .ignore(let room): group?.store.ignore(room.text)
    case .reconsider(let room): group?.store.reconsider(room.text)
    case .release(let room): group?.store.release(room.text)
    case .remove(let room): group?.store.remove(room.text)
    case .advertise(let match, let pairs, let succession): advertise(match, pairs, succession)
    case .withdraw(let room): withdraw(room)
    case .record(let room, let count): journal?.flush(room, to: count)
    case .pause(let room): journal?.pause(room)
    case .resume(let room): journal?.resume(room)
    case .forget(let room, let isClosed): journal?.forget(room, isClosed: isClosed)
    case .tell(let event): group?.tell(event)
    }
  }

  private func put(_ match: StoredMatch, _ room: RoomID) async {
    guard let group else { return }
    do {
      try group.store.put(room.text, match.sealed(with: group.key, as: room.text), version: match.serial)
    } catch {
      await handle(.failed(room, reason: "\(error)"))
    }
  }

  private func advertise(_ match: CarriedMatch, _ pairs: [String: String], _ succession: Succession) {
    guard let terms, let name = try? InstanceName(match.name) else { return }
    let pairs = shell.protected(pairs)
    if let advertised = advertised[match.id] { return advertised.advertise(pairs) }
    advertised[match.id] = AdvertisedMatch(name, pairs, succession, terms)
  }

  private func withdraw(_ room: RoomID) {
    guard let match = advertised.removeValue(forKey: room) else { return }
    withdrawing = Task { [withdrawing] in
      await withdrawing?.value
      await match.end()
    }
  }
}
