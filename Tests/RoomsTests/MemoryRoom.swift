import Rooms
import Testing
import TwentyFour

/// A host machine and its players' machines, wired together in memory: every message goes over as bytes, and the clock is moved by hand.
struct MemoryRoom {
  private(set) var now = Duration.zero
  private(set) var host: RoomMachine
  /// Everything that each side's app was told; the host's own is under `nil`.
  private(set) var events: [ConnectionID?: [RoomEvent]] = [:]
  private(set) var advertisements: [RoomAdvertisement] = []

  private var players: [ConnectionID: PlayerMachine] = [:]
  /// Connections that swallow everything, in both directions: a pulled cable.
  private var cut: Set<ConnectionID> = []
  private var pending: [Delivery] = []

  private enum Delivery {
    case toHost(ConnectionID, [UInt8])
    case toPlayer(ConnectionID, [UInt8])
    case closedByPlayer(ConnectionID)
    case closedByHost(ConnectionID)
  }

  init(_ rules: Match.Rules, player: String?, seed: UInt64 = 24) throws {
    host = RoomMachine(
      room: RoomMessageTests.room, player: try player.map { try PlayerName($0) }, rules: rules,
      generator: SeededGenerator(seed: seed))
    carryOut(host.handle(.open, at: now))
    deliver()
  }

  // MARK: What people do

  mutating func connect(_ id: ConnectionID, _ name: String) throws {
    var player = PlayerMachine(name: try PlayerName(name))
    carryOut(host.handle(.connected(id), at: now))
    let effects = player.handle(.connected, at: now)
    players[id] = player
    carryOut(effects, of: id)
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
    pending.append(.toHost(id, bytes))
    deliver()
  }

  mutating func cut(_ id: ConnectionID) { cut.insert(id) }

  /// Moves the clock, stopping wherever something falls due.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let next = nextDeadline, next <= end {
      now = max(now, next)
      carryOut(host.handle(.timePassed, at: now))
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

  func closing(_ id: ConnectionID?) -> RoomReason.Code? {
    if case .closed(let reason)? = events[id]?.last { reason.code } else { nil }
  }

  // MARK: Wires

  private var nextDeadline: Duration? {
    players.values.reduce(host.nextDeadline) { [$0, $1.nextDeadline].compactMap(\.self).min() }
  }

  private mutating func carryOut(_ effects: [RoomMachine.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let receivers):
        let body = message.encoded()
        pending += receivers.map { .toPlayer($0, body) }
      case .admit: break
      case .disconnect(let id, let message):
        if let message { pending.append(.toPlayer(id, message.encoded())) }
        pending.append(.closedByHost(id))
      case .advertise(let advertisement): advertisements.append(advertisement)
      case .report(let event): events[nil, default: []].append(event)
      }
    }
  }

  private mutating func carryOut(_ effects: [PlayerMachine.Effect], of id: ConnectionID) {
    for effect in effects {
      switch effect {
      case .send(let message): pending.append(.toHost(id, message.encoded()))
      case .disconnect(let message):
        if let message { pending.append(.toHost(id, message.encoded())) }
        pending.append(.closedByPlayer(id))
      case .report(let event): events[id, default: []].append(event)
      }
    }
  }

  private mutating func deliver() {
    while !pending.isEmpty {
      switch pending.removeFirst() {
      case .toHost(let id, let body):
        guard !cut.contains(id) else { continue }
        do {
          carryOut(host.handle(.received(id, try RoomMessage(decoding: body)), at: now))
        } catch {
          carryOut(host.handle(.malformed(id, error), at: now))
        }
      case .toPlayer(let id, let body):
        guard !cut.contains(id), players[id] != nil else { continue }
        do {
          carryOut(players[id]!.handle(.received(try RoomMessage(decoding: body)), at: now), of: id)
        } catch {
          carryOut(players[id]!.handle(.malformed(error), at: now), of: id)
        }
      case .closedByPlayer(let id):
        if !cut.contains(id) { carryOut(host.handle(.disconnected(id), at: now)) }
      case .closedByHost(let id):
        if !cut.contains(id), players[id] != nil { carryOut(players[id]!.handle(.disconnected, at: now), of: id) }
      }
    }
  }
}
