import Bonjourish
import Rooms
import Synchronization
import TwentyFour
import _BonjourishDirectoryProtocol

@testable import MatchServer

/// A match server of a group: what `HostShell`, `GroupMember` and `MatchServer` do, for a ``ServerMachine`` and a ``Membership``.
final class SimulatedServer {
  let name: String
  let number: Int
  let process: Process
  let store: SimulatedStore
  var machine: ServerMachine
  private(set) var membership: Membership
  let world: GroupSimulation
  let journal: MatchJournal
  let openedAt: Duration
  var connections: [ConnectionID: PlayerConnection] = [:]
  var audiences: [RoomID: Set<ConnectionID>] = [:]
  var timers: [RoomID: Timeline.Entry] = [:]
  var lastConnection = 0
  private var isSurveyDue = false
  private(set) var isEnding = false
  /// Since when each match is not told of any more; matches that are told of have none.
  var stops: [RoomID: Duration] = [:]
  /// When the process was stopped or killed last.
  private(set) var stoppedAt: Duration?
  private var wakesAt = Duration.zero
  /// When each match began to be played here.
  var began: [RoomID: Duration] = [:]

  var timeline: Timeline { world.timeline }
  var now: Duration { timeline.now - openedAt }

  init(_ world: GroupSimulation, name: String, number: Int, matches: Int, rules: Match.Rules, timing: Ownership.Timing) {
    (self.world, self.name, self.number) = (world, name, number)
    let timeline = world.timeline
    process = Process(timeline)
    openedAt = timeline.now
    store = SimulatedStore(
      timeline, process, world.network, world.bucket, owner: timeline.generator.next() | 1, timing: timing)
    let rooms = Mutex(TwentyFour.SeededGenerator(seed: timeline.generator.next()))
    machine = ServerMachine(
      server: RoomID(numbered: timeline.generator.next()), matchLimit: matches, rules: rules, shares: .none,
      generator: TwentyFour.SeededGenerator(seed: timeline.generator.next()),
      makeID: { RoomID(numbered: rooms.withLock { $0.next() }) })
    let publishers = Mutex(TwentyFour.SeededGenerator(seed: timeline.generator.next()))
    membership = Membership(isInGroup: true, makePublisher: { publishers.withLock { $0.next() | 1 } })
    let recorded = world.recorded
    journal = MatchJournal { room, event in recorded.note(room, event, number) }
    machine.isInGroup = true
    machine.advertisedAs = try! InstanceName(name)
    store.changed = { [unowned self] in changed($0) }
    run(machine.handle(.open, at: now))
    store.link.open()
    survey()
    beat(1)
  }

  var isServing: Bool { process.isAlive && !isEnding }

  func plays(_ room: RoomID) -> Bool { process.isAwake && machine.matches[room] != nil }

  var rooms: Dictionary<RoomID, ServedMatch>.Keys { machine.matches.keys }

  /// What should not be there when everything has been well for a while.
  var leftovers: [String] {
    let held = machine.matches.values.filter { $0.held != nil }.map { "\(name) still holds \(short($0.room.room))" }
    let kept = machine.reserved.subtracting(membership.rooms).map {
      "\(name) keeps a place for \(short($0)), which nobody wants"
    }
    return held.sorted() + kept.sorted()
  }

  /// Until when a match was told of here, as seen from now.
  func toldUntil(_ room: RoomID) -> Duration { min(stops[room] ?? timeline.now, stoppedAt ?? timeline.now) }

  // MARK: - The process

  func pause(until end: Duration) {
    wakesAt = max(wakesAt, end)
    stoppedAt = stoppedAt ?? timeline.now
    timeline.at(end) { [self] in if wakesAt <= timeline.now { wake() } }
    process.pause()
    // The players' programs hear nothing any more.
    for connection in connections.values.sorted(by: { $0.id < $1.id }) { connection.expectSilence() }
  }

  func wake() {
    guard process.isPaused else { return }
    wakesAt = .zero
    process.wake()
    world.awoke(self)
    timeline.after(.milliseconds(20)) { [self] in if process.isRunning { stoppedAt = nil } }
  }

  /// Ends it at once, as SIGKILL or a power cut does.
  func kill(silently: Bool) {
    stoppedAt = stoppedAt ?? timeline.now
    process.kill()
    store.link.lose()
    for connection in connections.values.sorted(by: { $0.id < $1.id }) {
      if silently { connection.expectSilence() } else { connection.end() }
    }
  }

  /// Ends it in order, as SIGTERM does.
  func stop() {
    guard !isEnding, process.isAlive else { return }
    process.run(on: .connections) { [self] in
      isEnding = true
      handle(.ends)
      survey()
      finish(attempts: 60)
    }
  }

  private func finish(attempts: Int) {
    guard !membership.isSettled, attempts > 0 else {
      world.unlistAll(of: number)
      run(machine.handle(.suspend, at: now))
      store.end()
      timeline.after(.milliseconds(500)) { [self] in
        stoppedAt = timeline.now
        process.kill()
      }
      return
    }
    _ = process.at(timeline.now + .milliseconds(50), on: .connections) { [self] in finish(attempts: attempts - 1) }
  }

  func drain() { process.run(on: .connections) { [self] in run(machine.handle(.command(.drain), at: now)) } }

  // MARK: - The group

  private func beat(_ count: Int) {
    _ = process.at(timeline.now + .milliseconds(250), on: .connections) { [self] in
      handle(.timePassed)
      if count % 4 == 0, !isEnding { survey() }
      beat(count + 1)
    }
  }

  private func survey() {
    isSurveyDue = false
    let rooms = machine.advertisedRooms.sorted { $0.text < $1.text }
    handle(.seen(machine.running(rooms, journal, at: now)))
    handle(.surveyed(machine.survey(of: membership.rooms + journal.waiting, journal)))
  }

  private func changed(_ change: SimulatedStore.Change) {
    switch change {
    case .changed(let name, let state):
      guard let room = RoomID(name) else { return }
      world.note("\(self.name): \(short(room)) \(state)")
      switch state {
      case .owned(let stored): handle(.owned(room, stored: stored))
      case .doubtful: handle(.doubtful(room))
      case .lost: handle(.lost(room))
      case .failed(let failure): handle(.failed(room, reason: failure.text))
      }
    case .orphaned(let name, let bytes):
      guard let room = RoomID(name), let stored = world.opened(bytes) else { return }
      world.note("\(self.name): \(short(room)) is offered, of \(stored.serial)")
      handle(.orphaned(room, stored))
    }
    if isSurveyDue { survey() }
    world.check()
  }

  func handle(_ event: Membership.Event) {
    for effect in membership.handle(event, at: now) { run(effect) }
  }

  func run(_ effect: Membership.Effect) {
    switch effect {
    case .server(let request):
      if request != .beat { world.note("\(name): \(request.text)") }
      noteBefore(request)
      let (effects, answer) = machine.answer(request, at: now)
      run(effects)
      if let answer {
        world.note("\(name): \(answer.text)")
        switch answer {
        case .adopted(let room): (stops[room], began[room]) = (nil, timeline.now)
        case .paused: for room in began.keys where stops[room] == nil { stops[room] = stoppedAt ?? timeline.now }
        case .reserved, .noRoom, .unusable, .suspended: break
        }
        handle(.answered(answer))
      }
    case .survey: isSurveyDue = true
    case .put(let room, let match):
      world.put(room, match, by: self)
      let bytes = world.sealed(match)
      store.perform { $0.put(room.text, bytes, version: match.serial, at: $1) }
    case .take(let room): store.perform { $0.take(room.text, at: $1) }
    case .ignore(let room):
      store.perform { machine, _ in
        machine.ignore(room.text)
        return []
      }
    case .reconsider(let room):
      store.perform { machine, _ in
        machine.reconsider(room.text)
        return []
      }
    case .release(let room): store.perform { $0.release(room.text, at: $1) }
    case .remove(let room):
      world.removed(room, by: self)
      store.perform { $0.remove(room.text, at: $1) }
    case .advertise(let match, _, _): world.advertise(match.name, at: number)
    case .withdraw(let room): world.withdraw(room, at: number)
    case .record(let room, let count): journal.flush(room, to: count)
    case .pause(let room): journal.pause(room)
    case .resume(let room): journal.resume(room)
    case .forget(let room, let isClosed): journal.forget(room, isClosed: isClosed)
    case .tell(let event): world.note("\(name) says \(event)")
    }
  }

  private func noteBefore(_ request: Membership.Request) {
    switch request {
    case .hold(let room), .suspend(let room), .leave(let room):
      // A process that has just woken has told nothing since it was stopped.
      if stops[room] == nil { stops[room] = stoppedAt ?? timeline.now }
    case .goOn(let room): stops[room] = nil
    case .reserve, .adopt, .beat: break
    }
  }
}

/// The first characters of the ID of a room.
func short(_ room: RoomID) -> String { String(room.text.prefix(4)) }

extension RoomID {
  /// An ID that is the same in each run.
  init(numbered number: UInt64) {
    let digits = number.digits
    self.init(
      "\(digits.prefix(8))-\(digits.dropFirst(8).prefix(4))-4\(digits.dropFirst(12).prefix(3))-8000-\(digits.suffix(12))")!
  }
}

extension Membership.Request {
  fileprivate var text: String {
    switch self {
    case .reserve(let match): "reserve \(short(match.id))"
    case .adopt(let match, _): "adopt \(short(match.id))"
    case .suspend(let room): "suspend \(short(room))"
    case .leave(let room): "leave \(short(room))"
    case .hold(let room): "hold \(short(room))"
    case .goOn(let room): "go on \(short(room))"
    case .beat: "beat"
    }
  }
}

extension Membership.Answer {
  fileprivate var text: String {
    switch self {
    case .reserved(let room): "reserved \(short(room))"
    case .adopted(let room): "adopted \(short(room))"
    case .noRoom(let room): "no room for \(short(room))"
    case .unusable(let room): "cannot use \(short(room))"
    case .paused: "paused"
    case .suspended(let room, let match): "suspended \(short(room)), \(match == nil ? "not here" : "with its state")"
    }
  }
}
