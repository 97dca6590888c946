import DirectoryModel
import Rooms
import TwentyFour
import _BonjourishDirectoryProtocol

@testable import MatchServer

/// What must hold.
extension GroupSimulation {
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
  func watch() {
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

  func heal() {
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

  func finish() {
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
