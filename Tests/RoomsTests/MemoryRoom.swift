import Foundation
import Rooms
import Testing
import TwentyFour

/// A host machine and its players' machines, wired together in memory, with a clock that is moved by hand.
///
/// Every message goes over as bytes, unless there is to be no time for that.
/// A person is named by the first connection that he had; machines that come back get new ones.
struct MemoryRoom {
  private(set) var now = Duration.zero
  private(set) var host: RoomMachine
  /// Everything that each side's app was told; the host's own is under `nil`.
  private(set) var events: [ConnectionID?: [RoomEvent]] = [:]
  /// When the host's own app was told what.
  private(set) var times: [Duration] = []
  private(set) var advertisements: [RoomAdvertisement] = []

  private let mint = TokenMint()
  private var players: [ConnectionID: PlayerMachine] = [:]
  /// Whose a connection is, while it stands on the player's side.
  private var persons: [ConnectionID: ConnectionID] = [:]
  /// People whose cable is pulled: their connections swallow everything in both directions, for good, and new ones fail.
  private var cut: Set<ConnectionID> = []
  private var dead: Set<ConnectionID> = []
  private var wireCount = 1_000_000
  private var isHostDown = false
  private var pending: [Delivery] = []

  private let inBytes: Bool

  private enum Parcel {
    case bytes([UInt8])
    case message(RoomMessage)

    func message() throws(MalformedMessage) -> RoomMessage {
      switch self {
      case .bytes(let bytes): try RoomMessage(decoding: bytes)
      case .message(let message): message
      }
    }
  }

  private enum Delivery {
    case toHost(ConnectionID, Parcel)
    case toPlayer(ConnectionID, Parcel)
    case closedByPlayer(ConnectionID)
    case closedByHost(ConnectionID)
    case connect(person: ConnectionID)
  }

  init(_ rules: Match.Rules, player: String?, seed: UInt64 = 24, inBytes: Bool = true) throws {
    self.inBytes = inBytes
    host = RoomMachine(
      room: RoomMessageTests.room, player: try player.map { try PlayerName($0) }, rules: rules,
      generator: SeededGenerator(seed: seed), tokens: mint.next)
    carryOut(host.handle(.open, at: now))
    deliver()
  }

  // MARK: What people do

  mutating func connect(_ id: ConnectionID, _ name: String, watches: Bool = false) throws {
    var entry = PlayerEntry(name: try PlayerName(name))
    entry.watches = watches
    players[id] = PlayerMachine(entry, jitter: SeededGenerator(seed: UInt64(id.rawValue)))
    connect(id, over: id)
    deliver()
  }

  mutating func act(_ id: ConnectionID, _ event: PlayerMachine.Event) {
    carryOut(players[id]!.handle(event, at: now), of: id)
    deliver()
  }

  mutating func actAtHost(_ event: RoomMachine.Event) {
    carryOut(host.handle(event, at: now))
    deliver()
  }

  /// Sends raw bytes to the host over a connection that no machine stands behind.
  mutating func throwAtHost(_ id: ConnectionID, _ bytes: [UInt8]) {
    pending.append(.toHost(id, .bytes(bytes)))
    deliver()
  }

  // MARK: What the network does

  /// Pulls someone's cable. Neither side is told.
  mutating func cut(_ id: ConnectionID) {
    cut.insert(id)
    dead.formUnion(persons.filter { $0.value == id }.keys)
  }

  /// Puts someone's cable back. What was connected before stays dead.
  mutating func mend(_ id: ConnectionID) { cut.remove(id) }

  /// Breaks someone's connection; both sides are told at once.
  mutating func drop(_ id: ConnectionID) {
    for wire in persons.filter({ $0.value == id }).keys.sorted() {
      persons[wire] = nil
      carryOut(host.handle(.disconnected(wire), at: now))
      carryOut(players[id]!.handle(.disconnected, at: now), of: id)
    }
    deliver()
  }

  /// Kills the host: all connections break.
  ///
  /// - Returns: What it had written down.
  mutating func killHost() throws -> Data {
    let state = try JSONEncoder().encode(#require(host.snapshot(at: now)))
    isHostDown = true
    let wires = persons.sorted { $0.key < $1.key }
    persons = [:]
    for (wire, person) in wires where !dead.contains(wire) {
      carryOut(players[person]!.handle(.disconnected, at: now), of: person)
    }
    deliver()
    return state
  }

  /// Starts a host that goes on with what another one had written down.
  mutating func resumeHost(_ state: Data, player: String?) throws {
    let snapshot = try JSONDecoder().decode(RoomMachine.Snapshot.self, from: state)
    host = try RoomMachine(
      restoring: snapshot, player: try player.map { try PlayerName($0) }, at: now, tokens: mint.next)
    isHostDown = false
    carryOut(host.handle(.open, at: now))
    deliver()
  }

  /// Moves the clock, stopping wherever something falls due.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let next = nextDeadline, next <= end {
      now = max(now, next)
      if !isHostDown { carryOut(host.handle(.timePassed, at: now)) }
      for id in players.keys.sorted() { carryOut(players[id]!.handle(.timePassed, at: now), of: id) }
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

  /// Whether someone is connected, as he sees it.
  func isConnected(_ id: ConnectionID) -> Bool { persons.values.contains(id) && !cut.contains(id) }

  func closing(_ id: ConnectionID?) -> RoomReason.Code? {
    if case .closed(let reason)? = events[id]?.last { reason.code } else { nil }
  }

  // MARK: Wires

  private var nextDeadline: Duration? {
    players.values.reduce(isHostDown ? nil : host.nextDeadline) { [$0, $1.nextDeadline].compactMap(\.self).min() }
  }

  private mutating func connect(_ person: ConnectionID, over wire: ConnectionID) {
    persons[wire] = person
    carryOut(host.handle(.connected(wire), at: now))
    carryOut(players[person]!.handle(.connected, at: now), of: person)
  }

  private mutating func carryOut(_ effects: [RoomMachine.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let receivers):
        let parcel = pack(message)
        pending += receivers.map { .toPlayer($0, parcel) }
      case .admit: break
      case .disconnect(let id, let message):
        if let message { pending.append(.toPlayer(id, pack(message))) }
        pending.append(.closedByHost(id))
      case .advertise(let advertisement): advertisements.append(advertisement)
      case .report(let event):
        events[nil, default: []].append(event)
        times.append(now)
      }
    }
  }

  private mutating func carryOut(_ effects: [PlayerMachine.Effect], of person: ConnectionID) {
    let wire = persons.first { $0.value == person }?.key
    for effect in effects {
      switch effect {
      case .send(let message):
        if let wire { pending.append(.toHost(wire, pack(message))) }
      case .disconnect(let message):
        guard let wire else { continue }
        if let message { pending.append(.toHost(wire, pack(message))) }
        pending.append(.closedByPlayer(wire))
        persons[wire] = nil
      case .connect: pending.append(.connect(person: person))
      case .report(let event): events[person, default: []].append(event)
      }
    }
  }

  private func pack(_ message: RoomMessage) -> Parcel { inBytes ? .bytes(message.encoded()) : .message(message) }

  private mutating func deliver() {
    var next = 0
    while next < pending.count {
      let delivery = pending[next]
      next += 1
      switch delivery {
      case .toHost(let id, let parcel):
        guard !dead.contains(id), !isHostDown else { continue }
        do {
          carryOut(host.handle(.received(id, try parcel.message()), at: now))
        } catch {
          carryOut(host.handle(.malformed(id, error), at: now))
        }
      case .toPlayer(let id, let parcel):
        guard !dead.contains(id), let person = persons[id] else { continue }
        do {
          carryOut(players[person]!.handle(.received(try parcel.message()), at: now), of: person)
        } catch {
          carryOut(players[person]!.handle(.malformed(error), at: now), of: person)
        }
      case .closedByPlayer(let id):
        if !dead.contains(id), !isHostDown { carryOut(host.handle(.disconnected(id), at: now)) }
      case .closedByHost(let id):
        guard !dead.contains(id), let person = persons.removeValue(forKey: id) else { continue }
        carryOut(players[person]!.handle(.disconnected, at: now), of: person)
      case .connect(let person):
        if isHostDown || cut.contains(person) {
          carryOut(players[person]!.handle(.unreachable, at: now), of: person)
        } else {
          wireCount += 1
          connect(person, over: ConnectionID(rawValue: wireCount))
        }
      }
    }
    pending = []
  }
}
