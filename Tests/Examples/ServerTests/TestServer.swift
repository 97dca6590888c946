import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// A match server on a clock that is moved by hand, with connections that are only numbers.
struct TestServer {
  var machine: ServerMachine
  var now = Duration.seconds(50)
  /// What each connection got, in order.
  private(set) var inboxes: [ConnectionID: [RoomMessage]] = [:]
  /// The connections that the server has closed.
  private(set) var closed: Set<ConnectionID> = []
  /// Who gets what everyone in a room is told.
  private(set) var audiences: [RoomID: Set<ConnectionID>] = [:]
  /// When something falls due in each room.
  private var deadlines: [RoomID: Duration] = [:]
  private(set) var reports: [(room: RoomID, event: RoomEvent)] = []
  private(set) var isClosed = false
  /// The tokens that the host's screen has shown.
  private(set) var shownTokens: [AdmissionToken] = []
  private var lastConnection = 0

  static let rules = Match.Rules(gathering: .zero, rounds: 2, minimumPlayers: 2, maximumPlayers: 4)

  init(_ rules: Match.Rules = rules, matches: Int = 3, shares: ShareLimits = ShareLimits(), seed: UInt64 = 24) {
    machine = ServerMachine(
      server: RoomID(), matchLimit: matches, rules: rules, shares: shares, generator: SeededGenerator(seed: seed))
    handle(.open)
  }

  /// When something falls due.
  var nextDeadline: Duration? { deadlines.values.min() }

  mutating func handle(_ event: ServerMachine.Event, after time: Duration = .zero) {
    now += time
    run(machine.handle(event, at: now))
  }

  /// Asks what a group asks for.
  @discardableResult
  mutating func ask(_ request: Membership.Request) -> Membership.Answer? {
    let (effects, answer) = machine.answer(request, at: now)
    run(effects)
    return answer
  }

  private mutating func run(_ effects: [HostEffect]) {
    for effect in effects {
      switch effect {
      case .broadcast(let room, let event):
        for id in audiences[room, default: []] {
          #expect(!closed.contains(id))
          inboxes[id, default: []].append(.event(event))
        }
        reports.append((room, event))
      case .report(let room, let event): reports.append((room, event))
      case .send(let message, let id):
        #expect(!closed.contains(id))
        inboxes[id, default: []].append(message)
      case .admit(let id, let room): audiences[room, default: []].insert(id)
      case .disconnect(let id, let reason):
        if let reason { inboxes[id, default: []].append(.event(.closed(reason))) }
        drop(id)
      case .advertise(let pairs): #expect(pairs == machine.advertisement.pairs)
      case .wake(let room, let deadline): deadlines[room] = deadline
      case .show(let token): shownTokens.append(token)
      case .keep: break
      case .over: isClosed = true
      }
    }
  }

  private mutating func drop(_ id: ConnectionID) {
    closed.insert(id)
    for room in audiences.keys { audiences[room]?.remove(id) }
  }

  /// Another process takes over, in which nobody is connected yet.
  mutating func replace(_ machine: ServerMachine) {
    self.machine = machine
    for id in inboxes.keys { drop(id) }
    deadlines = [:]
  }

  /// Someone connects and says hello, from an address of their own unless one is given.
  @discardableResult
  mutating func enter(
    _ name: String, players: ClosedRange<Int>? = nil, seat: SeatProof? = nil, spectates: Bool = false,
    from origin: Origin? = nil,
    place: String? = nil
  ) -> ConnectionID {
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    handle(.connected(id, from: origin ?? Origin(of: id)))
    handle(.received(id, .hello(.init(name: name, seat: seat, players: players, spectates: spectates, place: place))))
    return id
  }

  mutating func lose(_ id: ConnectionID) {
    drop(id)
    handle(.disconnected(id))
  }

  mutating func leave(_ id: ConnectionID) {
    handle(.received(id, .leaving))
    if !closed.contains(id) { Issue.record("whoever leaves is let go") }
  }

  /// Moves the clock, stopping wherever something falls due.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let next = nextDeadline, next <= end {
      now = max(now, next)
      for room in deadlines.filter({ $0.value <= now }).keys { handle(.timePassed(room)) }
    }
    now = end
  }

  /// Sends an answer that is wrong: whoever has sent one keeps the seat.
  mutating func guess(_ id: ConnectionID) {
    handle(.received(id, .act(round: deal(id)?.number ?? 1, .answer("1"))))
  }

  // MARK: What people see

  /// The events that someone was told of.
  func told(_ id: ConnectionID) -> [RoomEvent] {
    inboxes[id, default: []].compactMap { if case .event(let event) = $0 { event } else { nil } }
  }

  func welcome(_ id: ConnectionID) -> RoomMessage.Welcome? {
    for case .welcome(let welcome) in inboxes[id, default: []].reversed() { return welcome }
    return nil
  }

  func room(_ id: ConnectionID) -> RoomID? { welcome(id)?.room }

  func deal(_ id: ConnectionID) -> Match.Deal? {
    for case .round(let deal) in told(id).reversed() { return deal }
    return nil
  }

  /// Why someone was not let in, or had to go.
  func reason(_ id: ConnectionID) -> RoomReason.Code? {
    if case .closed(let reason)? = told(id).last { reason.code } else { nil }
  }

  func points(_ id: ConnectionID) -> Int? {
    for case .standings(let standings) in told(id).reversed() {
      return standings.first { $0.player == welcome(id)?.player }?.points
    }
    return nil
  }

  /// Solves the running round.
  mutating func solve(_ id: ConnectionID) throws {
    let deal = try #require(self.deal(id))
    let solution = try #require(Solver.firstSolution(of: deal.hand))
    handle(.received(id, .act(round: deal.number, .answer(solution.description))))
  }
}
