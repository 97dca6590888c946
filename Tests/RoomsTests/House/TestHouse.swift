import Rooms
import Testing
import TwentyFour

/// A house on a clock that is moved by hand, with connections that are only numbers.
struct TestHouse {
  var machine: HouseMachine
  var now = Duration.seconds(50)
  /// What each connection got, in order.
  private(set) var inboxes: [ConnectionID: [RoomMessage]] = [:]
  /// The connections that the house has closed.
  private(set) var closed: Set<ConnectionID> = []
  private(set) var admitted: Set<ConnectionID> = []
  private(set) var reports: [(match: MatchNumber, event: RoomEvent)] = []
  private(set) var advertisements: [HouseAdvertisement] = []
  private(set) var isClosed = false
  private var lastConnection = 0

  static let rules = Match.Rules(gathering: .zero, rounds: 2, minimumPlayers: 2, maximumPlayers: 4)

  init(_ rules: Match.Rules = rules, matches: Int = 3, seed: UInt64 = 24) {
    machine = HouseMachine(house: RoomID(), matchLimit: matches, rules: rules, generator: SeededGenerator(seed: seed))
    handle(.open)
  }

  mutating func handle(_ event: HouseMachine.Event, after time: Duration = .zero) {
    now += time
    for effect in machine.handle(event, at: now) {
      switch effect {
      case .send(let message, let ids):
        for id in ids {
          #expect(!closed.contains(id))
          inboxes[id, default: []].append(message)
        }
      case .admit(let id):
        admitted.insert(id)
      case .disconnect(let id, let message):
        if let message { inboxes[id, default: []].append(message) }
        closed.insert(id)
      case .advertise(let advertisement):
        advertisements.append(advertisement)
      case .report(let number, let event):
        reports.append((number, event))
      case .closed:
        isClosed = true
      }
    }
  }

  /// Another process takes over, in which nobody is connected yet.
  mutating func replace(_ machine: HouseMachine) {
    self.machine = machine
    closed.formUnion(inboxes.keys)
    isClosed = false
  }

  /// Someone connects and says hello.
  @discardableResult
  mutating func enter(
    _ name: String, players: ClosedRange<Int>? = nil, token: String? = nil, watches: Bool = false
  ) -> ConnectionID {
    lastConnection += 1
    let id = ConnectionID(rawValue: lastConnection)
    handle(.connected(id))
    handle(.received(id, .hello(.init(name: name, token: token, players: players, watches: watches))))
    return id
  }

  mutating func lose(_ id: ConnectionID) {
    handle(.disconnected(id))
    closed.insert(id)
  }

  mutating func leave(_ id: ConnectionID) {
    handle(.received(id, .leaving))
    if !closed.contains(id) { Issue.record("who leaves is let go") }
  }

  /// Moves the clock, stopping wherever something falls due; everyone who is there answers pings.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let next = machine.nextDeadline, next <= end {
      now = max(now, next)
      handle(.timePassed)
      for id in inboxes.keys.sorted() where inboxes[id]?.last == .ping && !closed.contains(id) { handle(.received(id, .pong)) }
    }
    now = end
  }

  // MARK: What people see

  func welcome(_ id: ConnectionID) -> RoomMessage.Welcome? {
    for case .welcome(let welcome) in inboxes[id, default: []].reversed() { return welcome }
    return nil
  }

  func room(_ id: ConnectionID) -> RoomID? { welcome(id)?.room }

  func deal(_ id: ConnectionID) -> Match.Deal? {
    for case .round(let deal) in inboxes[id, default: []].reversed() { return deal }
    return nil
  }

  /// Why someone was not let in, or had to go.
  func reason(_ id: ConnectionID) -> RoomReason.Code? {
    switch inboxes[id]?.last {
    case .refused(let reason), .closed(let reason): reason.code
    default: nil
    }
  }

  func points(_ id: ConnectionID) -> Int? {
    for case .standings(let standings) in inboxes[id, default: []].reversed() {
      return standings.first { $0.player == welcome(id)?.player }?.points
    }
    return nil
  }

  /// Solves the running round.
  mutating func solve(_ id: ConnectionID) throws {
    let deal = try #require(self.deal(id))
    let solution = try #require(Solver.firstSolution(of: deal.hand))
    handle(.received(id, .answer(round: deal.number, expression: solution.description)))
  }
}
