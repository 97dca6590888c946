import Foundation
import FramedCoding
import FramedJSON
import Testing
import TwentyFour

@testable import Rooms

/// A host machine and its players' machines, wired together in memory, with a clock that is moved by hand.
///
/// Every message goes over as bytes, unless there is to be no time for that. What the transport does is played here: a connection
/// that is dead ends after 15 seconds, and one that has ended is made again after a while.
/// A person is named by their first connection; machines that come back get new ones.
struct MemoryRoom {
  private(set) var now = Duration.zero
  private(set) var host: RoomMachine
  /// Everything that each side's app was told; the host's own is under `nil`.
  private(set) var events: [ConnectionID?: [RoomEvent]] = [:]
  /// When the host's own app was told what.
  private(set) var times: [Duration] = []
  private(set) var advertisements: [RoomAdvertisement] = []

  private let mint = SecretMint()
  private var random: TwentyFour.SeededGenerator
  private var players: [ConnectionID: PlayerMachine] = [:]
  /// Whose a connection is, while it stands on the player's side.
  private var persons: [ConnectionID: ConnectionID] = [:]
  /// The connections that get what everyone is told.
  private var audience: Set<ConnectionID> = []
  /// People whose cable is pulled: their connections swallow everything in both directions, for good, and new ones fail.
  private var cut: Set<ConnectionID> = []
  /// When dead connections are noticed.
  private var dead: [ConnectionID: Duration] = [:]
  /// When people try to connect again, and how often they have tried.
  private var attempts: [ConnectionID: (time: Duration, count: Int)] = [:]
  private var wireCount = 1_000_000
  private var isHostDown = false
  private var pending: [Delivery] = []

  private let inBytes: Bool

  private enum Parcel {
    case bytes([UInt8])
    case message(RoomMessage)

    func message() throws -> RoomMessage {
      switch self {
      case .bytes(let bytes): try RoomMessage.codec.decode(bytes)
      case .message(let message): message
      }
    }
  }

  private enum Delivery {
    case toHost(ConnectionID, Parcel)
    case toPlayer(ConnectionID, Parcel)
    case closedByPlayer(ConnectionID)
    case closedByHost(ConnectionID)
  }

  init(_ rules: Match.Rules, player: String?, seed: UInt64 = 24, inBytes: Bool = true) throws {
    self.inBytes = inBytes
    random = TwentyFour.SeededGenerator(seed: seed)
    host = RoomMachine(
      room: RoomMessageTests.room, player: try player.map { try PlayerName($0) }, rules: rules,
      generator: TwentyFour.SeededGenerator(seed: seed), secrets: mint.next)
    handleAtHost(.open)
    deliver()
  }

  // MARK: What people do

  mutating func connect(_ id: ConnectionID, _ name: String, spectates: Bool = false) throws {
    var entry = PlayerEntry(name: try PlayerName(name))
    entry.spectates = spectates
    players[id] = PlayerMachine(entry)
    connect(id, over: id)
    deliver()
  }

  mutating func act(_ id: ConnectionID, _ action: Match.Action) {
    handle(.act(action), of: id)
    deliver()
  }

  mutating func leave(_ id: ConnectionID) {
    handle(.leave, of: id)
    deliver()
  }

  mutating func actAtHost(_ action: Match.Action) { tellHost(.command(.act(action))) }

  mutating func tellHost(_ event: RoomMachine.Event) {
    handleAtHost(event)
    deliver()
  }

  /// Sends raw bytes to the host over a connection that no machine stands behind.
  mutating func throwAtHost(_ id: ConnectionID, _ bytes: [UInt8]) {
    pending.append(.toHost(id, .bytes(bytes)))
    deliver()
  }

  // MARK: What the network does

  /// Pulls someone's cable. Neither side is told until it has heard nothing for 15 seconds.
  mutating func cut(_ id: ConnectionID) {
    cut.insert(id)
    for wire in persons.filter({ $0.value == id }).keys where dead[wire] == nil { dead[wire] = now + .seconds(15) }
  }

  /// Puts someone's cable back. What was connected before stays dead.
  mutating func mend(_ id: ConnectionID) { cut.remove(id) }

  /// Breaks someone's connection; both sides are told at once.
  mutating func drop(_ id: ConnectionID) {
    for wire in persons.filter({ $0.value == id }).keys.sorted() { lose(wire) }
    deliver()
  }

  /// Kills the host: all connections break.
  ///
  /// - Returns: What it had written down.
  mutating func killHost() throws -> Data {
    let state = try JSONEncoder().encode(#require(host.snapshot(at: now)))
    isHostDown = true
    for wire in persons.keys.sorted() where dead[wire] == nil { lose(wire) }
    audience = []
    deliver()
    return state
  }

  /// Starts a host that goes on with what another one had written down.
  mutating func resumeHost(_ state: Data, player: String?) throws {
    let snapshot = try JSONDecoder().decode(RoomMachine.Snapshot.self, from: state)
    host = try RoomMachine(
      restoring: snapshot, player: try player.map { try PlayerName($0) }, generator: random, at: now, secrets: mint.next)
    isHostDown = false
    handleAtHost(.open)
    deliver()
  }

  /// Moves the clock, stopping wherever something falls due.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let next = nextDeadline, next <= end {
      now = max(now, next)
      if !isHostDown { handleAtHost(.timePassed(host.room)) }
      for id in players.keys.sorted() { handle(.timePassed, of: id) }
      for wire in dead.filter({ $0.value <= now }).keys.sorted() { lose(wire) }
      for (id, attempt) in attempts.filter({ $0.value.time <= now }).sorted(by: { $0.key < $1.key }) {
        attempts[id] = nil
        if isHostDown || cut.contains(id) { wait(id, attempt.count + 1) } else { connectAgain(id) }
      }
      deliver()
    }
    now = end
  }

  // MARK: What people see

  /// The hand of the round that an app was told of last.
  func hand(_ id: ConnectionID?) -> Hand? {
    for case .round(let deal) in events[id, default: []].reversed() { return deal.hand }
    return nil
  }

  func results(_ id: ConnectionID?) -> [Match.RoundResult] {
    events[id, default: []].compactMap { if case .roundEnded(let result) = $0 { result } else { nil } }
  }

  func standings(_ id: ConnectionID?) -> [Standing]? {
    for case .standings(let standings) in events[id, default: []].reversed() { return standings }
    return nil
  }

  /// Whether someone is connected, as they see it.
  func isConnected(_ id: ConnectionID) -> Bool { persons.values.contains(id) && !cut.contains(id) }

  func closing(_ id: ConnectionID?) -> RoomReason.Code? {
    if case .closed(let reason)? = events[id]?.last { reason.code } else { nil }
  }

  // MARK: Wires

  private var nextDeadline: Duration? {
    let host = isHostDown ? nil : host.nextDeadline
    let deadlines = players.values.compactMap(\.nextDeadline) + dead.values + attempts.values.map(\.time)
    return (deadlines + [host].compactMap(\.self)).min()
  }

  private mutating func connect(_ person: ConnectionID, over wire: ConnectionID) {
    persons[wire] = person
    // As a channel that only these two have.
    let peer = Peer(address: Origin(of: wire), binding: [UInt8(truncatingIfNeeded: wire.rawValue)])
    handleAtHost(.connected(wire, peer))
    handle(.connected(peer), of: person)
  }

  private mutating func connectAgain(_ person: ConnectionID) {
    wireCount += 1
    connect(person, over: ConnectionID(rawValue: wireCount))
  }

  /// Waits before the next attempt, as the policy for players says.
  private mutating func wait(_ person: ConnectionID, _ count: Int) {
    let longest = min(1_000 << min(count - 1, 3), 3_000)
    let wait = Duration.milliseconds(Int.random(in: 0...longest, using: &random))
    attempts[person] = (now + wait, count)
    handle(.waiting(wait), of: person)
  }

  /// Ends a connection for both sides.
  private mutating func lose(_ wire: ConnectionID) {
    dead[wire] = nil
    audience.remove(wire)
    if !isHostDown { handleAtHost(.disconnected(wire)) }
    if let person = persons.removeValue(forKey: wire) { disconnected(person) }
  }

  private mutating func disconnected(_ person: ConnectionID) {
    handle(.disconnected, of: person)
    if closing(person) == nil { wait(person, 1) }
  }

  private mutating func handleAtHost(_ event: RoomMachine.Event) {
    for effect in host.handle(event, at: now) {
      switch effect {
      case .broadcast(_, let event):
        let parcel = pack(.event(event))
        pending += audience.sorted().map { .toPlayer($0, parcel) }
        report(event)
      case .report(_, let event): report(event)
      case .send(let message, let id): pending.append(.toPlayer(id, pack(message)))
      case .admit(let id, _): audience.insert(id)
      case .disconnect(let id, let reason):
        audience.remove(id)
        if let reason { pending.append(.toPlayer(id, pack(.event(.closed(reason))))) }
        pending.append(.closedByHost(id))
      case .advertise(let pairs):
        if let advertisement = try? RoomAdvertisement(pairs: pairs) { advertisements.append(advertisement) }
      case .keep, .show, .wake, .over: break
      }
    }
  }

  private mutating func report(_ event: RoomEvent) {
    events[nil, default: []].append(event)
    times.append(now)
  }

  private mutating func handle(_ event: PlayerMachine.Event, of person: ConnectionID) {
    let wire = persons.first { $0.value == person }?.key
    for effect in players[person]!.handle(event, at: now) {
      switch effect {
      case .send(let message):
        if let wire { pending.append(.toHost(wire, pack(message))) }
      case .drop:
        if let wire { lose(wire) }
      // All of them are trusted.
      case .prove, .comeBack: break
      case .end(let message):
        attempts[person] = nil
        guard let wire else { continue }
        if let message { pending.append(.toHost(wire, pack(message))) }
        pending.append(.closedByPlayer(wire))
        persons[wire] = nil
      case .report(let event): events[person, default: []].append(event)
      }
    }
  }

  private func pack(_ message: RoomMessage) -> Parcel {
    inBytes ? .bytes((try? RoomMessage.codec.encode(message)) ?? []) : .message(message)
  }

  private mutating func deliver() {
    var next = 0
    while next < pending.count {
      let delivery = pending[next]
      next += 1
      switch delivery {
      case .toHost(let id, let parcel):
        guard dead[id] == nil, !isHostDown else { continue }
        handleAtHost((try? parcel.message()).map { .received(id, $0) } ?? .malformed(id, .malformed("no message")))
      case .toPlayer(let id, let parcel):
        guard dead[id] == nil, let person = persons[id] else { continue }
        handle((try? parcel.message()).map { .received($0) } ?? .malformed(.malformed("no message")), of: person)
      case .closedByPlayer(let id):
        audience.remove(id)
        if dead[id] == nil, !isHostDown { handleAtHost(.disconnected(id)) }
      case .closedByHost(let id):
        guard dead[id] == nil, let person = persons.removeValue(forKey: id) else { continue }
        disconnected(person)
      }
    }
    pending = []
  }
}
