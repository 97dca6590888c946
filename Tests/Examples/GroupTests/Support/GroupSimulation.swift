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
  var figures = Figures()
  let timing: Ownership.Timing
  private let rules: Match.Rules
  let mix: FaultMix
  var isStormy = true

  /// Where each match is advertised: the number of the server.
  private var advertised: [String: Int] = [:]
  private var sealedMatches: [StoredMatch] = []
  private var solutions: [Hand: String] = [:]
  /// Since when there have always been places for matches.
  var freeSince: Duration?
  /// The matches that the directory may have, by what was put last.
  var established: [RoomID: StoredMatch] = [:]
  /// Why each match is over.
  var over: [RoomID: RoomReason] = [:]
  /// The rounds of each match that were told to be over.
  var roundsTold: [RoomID: [Int: Match.RoundResult]] = [:]

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
    // Not drawn, so that what a seed was known for stays.
    let time = TimeAllowance.allCases[Int(seed % UInt64(TimeAllowance.allCases.count))]
    rules = Match.Rules(
      roundDuration: .seconds(timeline.number(in: 6...15)), time: time, grace: .seconds(1), pause: .seconds(2),
      gathering: .seconds(2),
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

  // MARK: - The directory's advertisements

  func advertise(_ name: String, at server: Int) {
    timeline.after(timeline.milliseconds(in: 100...600)) { [self] in
      if servers[server].process.isAlive { advertised[name] = server }
    }
  }

  func withdraw(_ room: RoomID, at server: Int) {
    let suffix = "-\(room.text.prefix(4))"
    for name in advertised.keys.sorted() where advertised[name] == server && name.hasSuffix(suffix) { advertised[name] = nil }
  }

  func unlistAll(of server: Int) {
    for name in advertised.keys.sorted() where advertised[name] == server { advertised[name] = nil }
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
      if let number = advertised[place] { return found(servers[number]) }
      timeline.after(.milliseconds(2_500)) { [self] in
        if let number = advertised[place] { found(servers[number]) } else { findJoined() }
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

  func stored(_ room: RoomID) -> StoredMatch? {
    network.model.value("world.value.\(room.text)").flatMap { opened($0.data) }
  }

  func put(_ room: RoomID, _ match: StoredMatch, by server: SimulatedServer) {
    if match.match == nil, over[room] == nil { fail("\(server.name) stores that \(short(room)) is over, and no room said so") }
    established[room] = match
  }

  func removed(_ room: RoomID, by server: SimulatedServer) {
    if over[room] == nil { fail("\(server.name) removes \(short(room)), which is not over") }
  }
}
