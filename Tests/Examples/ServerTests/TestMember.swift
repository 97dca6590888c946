import Bonjourish
import Rooms
import Synchronization
import Testing
import TwentyFour

@testable import MatchServer

/// A server of a group on a clock that is moved by hand. What its store does, a test says.
struct TestMember {
  var server: TestServer
  var membership: Membership
  /// What was asked of the store, in order.
  var asked: [Membership.Effect] = []
  /// The latest state of each match that was put.
  var put: [RoomID: StoredMatch] = [:]
  var told: [MatchGroup.Event] = []
  /// Whether what is put is stored at once.
  var confirms = true
  /// What was told once, after it was stored.
  var recorded: [RoomEvent] { record.events.withLock(\.self) }

  private let record = Record()
  private let journal: MatchJournal
  private var reports = 0
  private var beats = 0

  init(seed: UInt64 = 24, matches: Int = 3, rules: Match.Rules = TestServer.rules) {
    server = TestServer(rules, matches: matches, shares: .none, seed: seed)
    server.machine.isInGroup = true
    server.machine.advertisedAs = "TwentyFour"
    membership = Membership(isInGroup: true)
    journal = MatchJournal { [record] _, event in record.events.withLock { $0.append(event) } }
  }

  mutating func handle(_ event: Membership.Event) {
    for effect in membership.handle(event, at: server.now) {
      switch effect {
      case .server(let request):
        if let answer = server.ask(request) { handle(.answered(answer)) }
        noteEvents()
      case .survey: survey()
      case .put(let room, let match):
        put[room] = match
        if confirms { handle(.owned(room, stored: match.serial)) }
      case .take, .ignore, .reconsider, .release, .remove: asked.append(effect)
      case .advertise, .withdraw: break
      case .record(let room, let count): journal.flush(room, to: count)
      case .pause(let room): journal.pause(room)
      case .resume(let room): journal.resume(room)
      case .forget(let room, let isClosed): journal.forget(room, isClosed: isClosed)
      case .tell(let event): told.append(event)
      }
    }
  }

  private mutating func noteEvents() {
    for (room, event) in server.reports[reports...] { journal.append(room, event) }
    reports = server.reports.count
  }

  mutating func survey() {
    noteEvents()
    handle(.seen(server.machine.running(server.machine.advertisedRooms, journal, at: server.now)))
    handle(.surveyed(server.machine.survey(of: membership.rooms + journal.waiting, journal)))
  }

  /// Moves the clock.
  mutating func pass(_ time: Duration) {
    let end = server.now + time
    while server.now < end {
      server.pass(min(.milliseconds(250), end - server.now))
      handle(.timePassed)
      beats += 1
      if beats % 4 == 0 { survey() }
    }
  }

  /// Two players begin a match, and each of them has sent an answer.
  mutating func begin(_ names: String...) -> [ConnectionID] {
    let players = names.map { server.enter($0) }
    for player in players { server.guess(player) }
    survey()
    return players
  }

  var orphans: [(room: RoomID, match: StoredMatch)] {
    put.sorted { $0.value.match?.name ?? "" < $1.value.match?.name ?? "" }.map { ($0.key, $0.value) }
  }

  func count(_ isMeant: (Membership.Effect) -> Bool) -> Int { asked.count(where: isMeant) }
}

private final class Record: Sendable {
  let events = Mutex<[RoomEvent]>([])
}
