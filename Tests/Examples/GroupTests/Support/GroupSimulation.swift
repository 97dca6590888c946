import DirectoryModel
import Rooms
import TwentyFour
import _BonjourishDirectoryProtocol

@testable import MatchServer

/// A whole group: servers, their directory and their players, on a clock that is moved by hand, with one seed for everything.
///
/// Faults come for a minute; then everything is well, and half a minute later everybody must play.
final class GroupSimulation {
  let timeline: Timeline
  let network: DirectoryNetwork
  let bucket = Bucket("matches", lease: RecordLease(duration: .seconds(600)))!
  let recorded = RecordedRounds()
  private(set) var servers: [SimulatedServer] = []
  private(set) var players: [SimulatedPlayer] = []
  private(set) var faults: [String] = []
  private(set) var course: [String] = []
  private(set) var figures = Figures()
  let timing: Ownership.Timing
  private let rules: Match.Rules
  let mix: FaultMix
  var isStormy = true

  /// Where each match is listed: the number of the server.
  private var listed: [String: Int] = [:]
  private var sealedMatches: [StoredMatch] = []
  private var solutions: [Hand: String] = [:]
  /// Since when there have always been places for matches.
  private var freeSince: Duration?
  /// The matches that the directory may have, by what was put last.
  private var established: [RoomID: StoredMatch] = [:]
  /// Why each match is over.
  private var over: [RoomID: RoomReason] = [:]
  /// The rounds of each match that were told to be over.
  private var roundsTold: [RoomID: [Int: Match.RoundResult]] = [:]

  struct Figures {
    var returns = 0
    /// How much before the end of a server points were told that were undone, at most.
    var undone = Duration.zero
    /// The longest time that a player was not served, and not told.
    var longestStranding = Duration.zero
    /// The rounds that were told to be over, and those of them that no results have: they were undone, or the simulation has ended.
    var rounds = 0
    var missingRounds = 0
    var tellings = 0
  }

  static let storm = Duration.seconds(60)
  static let quiet = Duration.seconds(35)
  /// What was told for that long before a server ended may be undone.
  static let window = Membership.interval + Membership.slack + .milliseconds(200)

  init(seed: UInt64) {
    timeline = Timeline(seed: seed)
    network = DirectoryNetwork(timeline, bucket)
    mix = FaultMix(timeline)
    timing = Ownership.Timing()
    network.model.readLag = mix.readLag
    let rounds = timeline.once(in: 3) ? timeline.number(in: 3...8) : nil
    rules = Match.Rules(
      roundDuration: .seconds(timeline.number(in: 6...15)), grace: .seconds(1), pause: .seconds(2), gathering: .seconds(2),
      lateJoinThreshold: .seconds(5), rounds: rounds, minimumPlayers: 2, maximumPlayers: 4)
  }

  func run() {
    for number in 1...timeline.choice([2, 3, 3, 4, 5])! {
      timeline.at(timeline.milliseconds(in: 0...1_000)) { [self] in start("S\(number)") }
    }
    for _ in 0..<timeline.number(in: 3...14) {
      timeline.at(timeline.milliseconds(in: 2_500...15_000)) { [self] in join() }
    }
    plan()
    timeline.pass(until: Self.storm) { faults.isEmpty }
    heal()
    timeline.pass(until: Self.storm + Self.quiet) { faults.isEmpty }
    if faults.isEmpty { finish() }
  }

  func note(_ text: @autoclosure () -> String) {
    if SimulationSettings.replayed != nil { course.append("\(timeline.now) \(text())") }
  }

  func fail(_ text: String) {
    faults.append("\(timeline.now) \(text)")
    note(text)
  }

  // MARK: - Servers and players

  func start(_ name: String) {
    let places = timeline.number(in: 1...mix.mostPlaces)
    note("\(name) starts, with \(places) places")
    let server = SimulatedServer(self, name: name, number: servers.count, matches: places, rules: rules, timing: timing)
    server.store.link.delays = (timeline.milliseconds(in: 0...mix.mostDelay), timeline.milliseconds(in: 0...mix.mostDelay))
    server.store.link.jitter = timeline.choice([0, 5, 150])!
    servers.append(server)
    watch()
  }

  func join() {
    guard let server = timeline.choice(servers.filter(\.isServing)) else { return }
    join(server)
  }

  func join(_ server: SimulatedServer) {
    let size = timeline.number(in: 2...4)
    note("player \(players.count) joins \(server.name)")
    players.append(SimulatedPlayer(self, number: players.count, joined: server.name, players: 2...size))
  }

  func awoke(_ server: SimulatedServer) {
    note("\(server.name) is awake")
    for player in players where player.connection?.server === server { player.isServed() }
  }

  // MARK: - The directory's listings

  func list(_ name: String, at server: Int) {
    timeline.after(timeline.milliseconds(in: 100...600)) { [self] in
      if servers[server].process.isAlive { listed[name] = server }
    }
  }

  func unlist(_ room: RoomID, at server: Int) {
    let suffix = "-\(room.text.prefix(4))"
    for name in listed.keys.sorted() where listed[name] == server && name.hasSuffix(suffix) { listed[name] = nil }
  }

  func unlistAll(of server: Int) {
    for name in listed.keys.sorted() where listed[name] == server { listed[name] = nil }
  }

  /// Finds a server, as discovery does: the match by its name, else what was joined.
  func find(place: String?, joined: String, _ found: @escaping (SimulatedServer?) -> Void) {
    func findJoined() {
      timeline.after(timeline.milliseconds(in: 20...500)) { [self] in
        if let server = servers.last(where: { $0.name == joined && $0.process.isAlive }) { return found(server) }
        timeline.after(.milliseconds(4_500)) { found(nil) }
      }
    }
    guard let place else { return findJoined() }
    timeline.after(timeline.milliseconds(in: 20...500)) { [self] in
      if let number = listed[place] { return found(servers[number]) }
      timeline.after(.milliseconds(2_500)) { [self] in
        if let number = listed[place] { found(servers[number]) } else { findJoined() }
      }
    }
  }

  func solution(of hand: Hand) -> String {
    if let known = solutions[hand] { return known }
    let solution = Solver.firstSolution(of: hand)!.description
    solutions[hand] = solution
    return solution
  }

  // MARK: - What the directory has

  /// Sealing costs more than everything else here, so a value is the number of what it stands for.
  func sealed(_ match: StoredMatch) -> [UInt8] {
    sealedMatches.append(match)
    return withUnsafeBytes(of: sealedMatches.count - 1) { Array($0) }
  }

  func opened(_ bytes: [UInt8]) -> StoredMatch? {
    bytes.count == 8 ? sealedMatches[bytes.withUnsafeBytes { $0.loadUnaligned(as: Int.self) }] : nil
  }

  private func stored(_ room: RoomID) -> StoredMatch? {
    network.model.value("world.value.\(room.text)").flatMap { opened($0.data) }
  }

  func put(_ room: RoomID, _ match: StoredMatch, by server: SimulatedServer) {
    if match.match == nil, over[room] == nil { fail("\(server.name) stores that \(short(room)) is over, and no room said so") }
    established[room] = match
  }

  func removed(_ room: RoomID, by server: SimulatedServer) {
    if over[room] == nil { fail("\(server.name) removes \(short(room)), which is not over") }
  }

  // MARK: - What must hold

  func told(_ event: RoomEvent, in room: RoomID, by server: SimulatedServer) {
    figures.tellings += 1
    switch event {
    case .closed(let reason):
      note("\(server.name): \(short(room)) is over: \(reason.code)")
      over[room] = reason
    case .roundEnded(let result):
      note("\(server.name): round \(result.number) of \(short(room)) is over")
      roundsTold[room, default: [:]][result.number] = result
    default: break
    }
  }

  /// Checks what holds at any time.
  func check() {
    var owners: [RoomID: SimulatedServer] = [:]
    for server in servers where server.process.isAwake {
      for room in server.rooms where server.plays(room) {
        if let other = owners.updateValue(server, forKey: room) {
          fail("\(short(room)) is played by \(other.name) and by \(server.name) (\(other.number), \(server.number))")
        }
      }
    }
    for fault in recorded.takeFaults() { fail(fault) }
  }

  private var freePlaces: Int {
    servers.filter { $0.isServing && $0.machine.phase == .open }.reduce(0) { $0 + $1.machine.freePlaces }
  }

  /// Looks once a second whether everybody who is not served knows, and since when there are places.
  private func watch() {
    guard servers.count == 1 else { return }
    func look() {
      timeline.after(.seconds(1)) { [self] in
        freeSince = freePlaces > 0 ? freeSince ?? timeline.now : nil
        for player in players {
          guard let since = player.strandedSince else { continue }
          figures.longestStranding = max(figures.longestStranding, timeline.now - since)
        }
        look()
      }
    }
    look()
  }

  func seated(_ player: SimulatedPlayer, in room: RoomID, _ id: PlayerID) {
    note("player \(player.number) has seat \(id) in \(short(room)) at \(player.connection!.server.name)")
    guard let seat = player.seat, let answeredAt = seat.answeredAt, over[seat.room] == nil else { return }
    guard answeredAt <= seat.server.toldUntil(seat.room) - Self.window else { return }
    fail("player \(player.number) has seat \(id) in \(short(room)), after seat \(seat.player) in \(short(seat.room))")
  }

  func compare(_ player: SimulatedPlayer, _ seat: SimulatedPlayer.Seat, points: Int) {
    figures.returns += 1
    let server = player.connection!.server
    // Where the match was and is played at the same server nothing is undone.
    let end = min(seat.server.toldUntil(seat.room), seat.awaySince ?? timeline.now)
    guard let first = seat.told.first(where: { $0.points > points }) else { return }
    let age = end - first.time
    figures.undone = max(figures.undone, age)
    note("player \(player.number) has \(points) points again, after \(first.points) \(age) before")
    guard age > Self.window || server === seat.server && server.began[seat.room].map({ $0 < first.time }) ?? false else {
      return
    }
    fail(
      "player \(player.number) has \(points) points, after \(first.points) were told \(age) before \(seat.server.name) stopped")
  }

  func ended(_ player: SimulatedPlayer, _ reason: RoomReason) {
    guard reason.code == .lost, let seat = player.seat, seat.answeredAt != nil, over[seat.room] == nil else { return }
    for server in servers where server.isServing && server.plays(seat.room) {
      guard let began = server.began[seat.room], timeline.now - began > .seconds(20) else { continue }
      fail("player \(player.number) does not find \(short(seat.room)), which \(server.name) plays since \(began)")
    }
  }

  private func heal() {
    note("quiet")
    isStormy = false
    network.model.outage = nil
    network.model.isFull = false
    for server in servers {
      server.wake()
      server.store.link.heal()
      server.store.link.denied = []
    }
  }

  private func finish() {
    // Who waits for a place is offered one within a few seconds.
    let isRoom = freeSince.map { timeline.now - $0 > .seconds(5) } ?? false
    for room in established.keys.sorted(by: { $0.text < $1.text }) where over[room] == nil {
      guard !servers.contains(where: { $0.plays(room) }) else { continue }
      if stored(room) == nil {
        // Never stored, by a server that has died.
        if everStored(room) { fail("\(short(room)) has disappeared") }
      } else if isRoom {
        fail("nobody goes on with \(short(room)), and there are \(freePlaces) places since \(freeSince!)")
      }
    }
    for player in players where player.end == nil && player.seat != nil && !player.isInside {
      let room = player.seat!.room
      // One that had to wait for a place has only just begun.
      let hasTime = { (server: SimulatedServer) in server.began[room].map { self.timeline.now - $0 > .seconds(15) } ?? false }
      if over[room] == nil, let server = servers.first(where: { $0.plays(room) && hasTime($0) }), player.seat?.answeredAt != nil
      {
        fail("player \(player.number) is not back in \(short(room)), which \(server.name) plays")
      }
    }
    figures.rounds = roundsTold.values.reduce(0) { $0 + $1.count }
    for (room, told) in roundsTold { compare(told, recorded.rounds(of: room), of: room) }
    for server in servers where server.isServing { for flaw in server.leftovers { fail(flaw) } }
  }

  /// Checks that the joined results have what players were told last of each round.
  private func compare(_ told: [Int: Match.RoundResult], _ recorded: [Int: Match.RoundResult], of room: RoomID) {
    for (number, result) in told {
      guard let record = recorded[number] else {
        figures.missingRounds += 1
        // What was told last may be undone, or not recorded yet.
        if let last = recorded.keys.max(), number < last { fail("round \(number) of \(short(room)) is in no results") }
        continue
      }
      // Who has left since may be missing.
      let flawed = record.standings.filter { own in
        result.standings.contains { $0.player == own.player && ($0.status, $0.hints) != (own.status, own.hints) }
      }
      if !record.hand.isDealt(as: result.hand) || !flawed.isEmpty {
        fail("the results of round \(number) of \(short(room)) are not what was told: \(record), \(result)")
      }
    }
  }

  private func everStored(_ room: RoomID) -> Bool { network.model.revisions["world.value.\(room.text)", default: 0] > 0 }
}
