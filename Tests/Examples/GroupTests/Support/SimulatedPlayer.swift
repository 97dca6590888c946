import Names
import Rooms
import TwentyFour

/// A connection of a player with a server.
final class PlayerConnection {
  let server: SimulatedServer
  private unowned let player: SimulatedPlayer
  private let timeline: Timeline
  let peer: Peer
  /// Set by the server.
  var id = ConnectionID(rawValue: 0)
  private(set) var isOpen = true
  /// Whether nothing arrives any more, although nobody has noticed.
  private var isBroken = false
  private var arrivals = (up: Duration.zero, down: Duration.zero)
  private let delay: Duration

  init(_ player: SimulatedPlayer, _ server: SimulatedServer, _ timeline: Timeline) {
    (self.player, self.server, self.timeline) = (player, server, timeline)
    peer = Peer(address: Origin(rawValue: "player \(player.number)"))
    delay = timeline.milliseconds(in: 1...100)
    timeline.after(delay) { server.accept(self) }
  }

  func send(_ message: RoomMessage) {
    guard isOpen, !isBroken else { return }
    arrivals.up = max(arrivals.up, timeline.now + delay + timeline.milliseconds(in: 0...20))
    timeline.at(arrivals.up) { [self] in if !isBroken { server.receive(message, over: self) } }
  }

  func deliver(_ message: RoomMessage) {
    guard isOpen, !isBroken else { return }
    arrivals.down = max(arrivals.down, timeline.now + delay + timeline.milliseconds(in: 0...20))
    timeline.at(arrivals.down) { [self] in if isOpen, !isBroken { player.receive(message, over: self) } }
  }

  /// Ends it from the server's side: what was sent arrives before.
  func end() {
    guard isOpen, !isBroken else { return }
    timeline.at(max(arrivals.down, timeline.now + delay)) { [self] in close() }
  }

  /// Ends it on the player's side, and soon at the server.
  func abort() {
    timeline.after(delay) { [self] in server.lose(self) }
    close()
  }

  private func close() {
    guard isOpen else { return }
    isOpen = false
    player.disconnected(self)
  }

  /// Breaks it: both sides find out later.
  func breakOff() {
    isBroken = true
    timeline.after(timeline.milliseconds(in: 0...20_000)) { [self] in server.lose(self) }
    timeline.after(timeline.once(in: 2) ? .zero : timeline.milliseconds(in: 0...20_000)) { [self] in close() }
  }

  /// Ends it on the player's side if the server is silent for too long: heartbeats every 5 s, of which three are missing.
  func expectSilence() {
    timeline.after(timeline.milliseconds(in: 15_000...20_000)) { [self] in
      guard isOpen, !server.process.isRunning else { return }
      isBroken = true
      close()
      server.lose(self)
    }
  }
}

/// A player with the program of a player, which comes back to its seat: what `RoomPlayer` does.
final class SimulatedPlayer {
  let number: Int
  private let world: GroupSimulation
  private var machine: PlayerMachine
  /// The server that the player has found.
  private let joined: String
  /// The match as a directory lists it.
  private var place: String?
  private(set) var connection: PlayerConnection?
  private var timer: Timeline.Entry?
  private var attempts = 0
  private let returns: Bool

  /// The seat, and what was told there.
  struct Seat {
    let room: RoomID
    let player: PlayerID
    var server: SimulatedServer
    /// Since when the host keeps it; nil before an answer.
    var answeredAt: Duration?
    var told: [(time: Duration, points: Int, round: Int)] = []
    /// Since when the player has no connection.
    var awaySince: Duration?
    /// Whether the player has to be told the points once more, after it came back.
    var isToBeCompared = false
  }

  private(set) var seat: Seat?
  /// Why the room was left.
  private(set) var end: RoomReason?
  private var round = 0
  /// Since when the player is not served, and nothing said so.
  private(set) var strandedSince: Duration?

  private var timeline: Timeline { world.timeline }

  init(_ world: GroupSimulation, number: Int, joined: String, players: ClosedRange<Int>) {
    (self.world, self.number, self.joined) = (world, number, joined)
    returns = world.timeline.once(in: 8) == false
    var entry = PlayerEntry(name: try! PlayerName(typed: "Player \(number)"))
    entry.players = players
    machine = PlayerMachine(entry, joined: joined)
    connect()
  }

  var isInside: Bool { seat != nil && seat?.awaySince == nil && end == nil }

  // MARK: - Connections

  private func connect() {
    guard end == nil else { return }
    world.find(place: place, joined: joined) { [self] server in
      guard end == nil else { return }
      guard let server, server.process.isAlive else { return wait() }
      attempts = 0
      let connection = PlayerConnection(self, server, timeline)
      self.connection = connection
      handle(.connected(Peer(address: Origin(rawValue: server.name))))
    }
  }

  private func wait() {
    let time = timeline.milliseconds(in: 0...min(1_000 << min(attempts, 2), 3_000))
    attempts += 1
    handle(.waiting(time))
    timeline.after(time) { [self] in connect() }
  }

  func receive(_ message: RoomMessage, over connection: PlayerConnection) {
    guard connection === self.connection else { return }
    handle(.received(message))
  }

  func disconnected(_ connection: PlayerConnection) {
    guard connection === self.connection else { return }
    self.connection = nil
    if seat != nil, seat!.awaySince == nil {
      seat!.awaySince = timeline.now
      strand()
    }
    handle(.disconnected)
    guard end == nil else { return }
    if seat == nil, machine.nextDeadline == nil { return }
    wait()
  }

  func lose() { connection?.breakOff() }

  // MARK: - Being told

  /// Notes that the player's server does not serve it any more.
  func strand() { if strandedSince == nil, end == nil { strandedSince = timeline.now } }

  /// Notes that the server serves the player again.
  func isServed() { strandedSince = nil }

  private func isTold() { strandedSince = nil }

  private func handle(_ event: PlayerMachine.Event) {
    for effect in machine.handle(event, at: timeline.now) {
      switch effect {
      case .send(let message): connection?.send(message)
      case .drop: connection?.abort()
      case .prove: break
      case .comeBack(let name): place = name
      case .end:
        let connection = connection
        self.connection = nil
        connection?.abort()
      case .report(let event): report(event)
      }
    }
    timeline.cancel(timer)
    timer = machine.nextDeadline.map { deadline in timeline.at(deadline) { [self] in handle(.timePassed) } }
  }

  private func report(_ event: RoomEvent) {
    switch event {
    case .open(let room, let player?, _):
      isTold()
      world.seated(self, in: room, player.id)
      round = 0
      seat = Seat(room: room, player: player.id, server: connection!.server)
    case .resumed:
      isTold()
      guard var seat else { return }
      world.note("player \(number) is back in \(short(seat.room)) at \(connection!.server.name)")
      seat.isToBeCompared = true
      self.seat = seat
    case .round(let deal):
      compareRound(deal.number)
      round = deal.number
      think(deal)
    case .roundEnded(let result):
      round = result.number
      noteStandings(result.standings)
    case .standings(let standings): noteStandings(standings)
    case .answer(let player, _) where player.id == seat?.player: noteAnswer()
    case .refused(let reason):
      if [.wrongValue, .wrongDigits, .syntax].contains(reason.code) { noteAnswer() }
      isTold()
    case .reconnecting: isTold()
    case .closed(let reason):
      isTold()
      end = reason
      world.note("player \(number) ends: \(reason.code)")
      world.ended(self, reason)
    default: break
    }
  }

  private func noteAnswer() { if seat?.answeredAt == nil { seat?.answeredAt = timeline.now } }

  private func noteStandings(_ standings: [Standing]) {
    guard var seat, let own = standings.first(where: { $0.player.id == seat.player }) else { return }
    if seat.isToBeCompared {
      world.compare(self, seat, points: own.points)
      (seat.isToBeCompared, seat.awaySince, seat.told) = (false, nil, [])
      seat.server = connection?.server ?? seat.server
    } else if let last = seat.told.last, own.points < last.points {
      world.fail("player \(number) was told \(own.points) points after \(last.points) at \(seat.server.name)")
    }
    if seat.told.last.map({ $0.points != own.points || $0.round != round }) ?? true {
      seat.told.append((timeline.now, own.points, round))
    }
    self.seat = seat
  }

  private func compareRound(_ number: Int) {
    guard let seat, !seat.isToBeCompared, let last = seat.told.last, number < last.round else { return }
    world.fail("player \(self.number) is told round \(number) after round \(last.round) at \(seat.server.name)")
  }

  // MARK: - Playing

  private func think(_ deal: Match.Deal) {
    let solution = world.solution(of: deal.hand)
    let time = timeline.milliseconds(in: 300...6_000)
    if timeline.once(in: 4) { timeline.after(time / 2) { [self] in answer("1", deal.number) } }
    let gives = timeline.once(in: 5)
    // Without a limit, whoever does nothing holds up the others.
    if gives, deal.isLimited { return }
    timeline.after(time) { [self] in if gives { giveUp(deal.number) } else { answer(solution, deal.number) } }
  }

  private func giveUp(_ number: Int) { if end == nil, round == number { handle(.act(.giveUp)) } }

  private func answer(_ text: String, _ number: Int) {
    guard end == nil, round == number else { return }
    handle(.act(.answer(text)))
  }
}
