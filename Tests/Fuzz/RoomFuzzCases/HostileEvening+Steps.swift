import FramedJSON
import FuzzCases
import Rooms
import TwentyFour

/// What happens.
extension HostileEvening {
  /// Does what a byte stands for.
  ///
  /// - Parameters:
  ///   - who: Who does it, or to whom it is done.
  ///   - rest: What follows, for those who invent something.
  mutating func step(_ kind: UInt8, _ who: UInt8, _ rest: inout ArraySlice<UInt8>) throws(Violation) {
    let person = Int(who) % people.count
    let wire = wires.isEmpty ? nil : Int(who) % wires.count
    switch kind % 16 {
    case 0: try join(person)
    case 1: if let wire { try deliverToRoom(wire) }
    case 2: if let wire { try deliverToPerson(wire) }
    case 3: try deliverAll()
    case 4: try tell(person, .act([.answer("1"), .giveUp, .hint][Int(who >> 4) % 3]))
    case 5: try tell(person, .leave)
    case 6:
      guard let wire else { break }
      try loseAtRoom(wire)
      try loseAtPerson(wire)
    case 7: if let wire { try loseAtPerson(wire) }
    case 8: try pass(.milliseconds(who < 240 ? 100 * Int(who) : 61_000))
    case 9: try tellRoom(.command(.rule(rule(who))))
    case 10: try replay(who)
    case 11: try change(who, rest.popFirst() ?? 0)
    case 12: try invent(who, &rest)
    case 13: try showStolen(who)
    case 14: if let state = machine.snapshot(at: now) { written = (state, seats) }
    default: try restart()
    }
  }

  /// Lets everything arrive that was said, in turns.
  private mutating func deliverAll() throws(Violation) {
    for _ in 0..<4 {
      for wire in wires.indices where !wires[wire].toRoom.isEmpty { try deliverToRoom(wire) }
      for person in people.indices {
        guard let wire = people[person].wire else { continue }
        while people[person].wire == wire, !wires[wire].toPerson.isEmpty { try deliverToPerson(wire) }
        if !wires[wire].isOpenAtRoom { try loseAtPerson(wire) }
      }
    }
  }

  private func rule(_ who: UInt8) -> HostRule {
    let player = PlayerID(rawValue: Int(who >> 4))
    return switch who & 15 {
    case 0: .kick(player)
    case 1: .ban(player)
    case 2: .unban(player)
    case 3: .lock(true)
    case 4: .lock(false)
    case 5: .approve(true)
    case 6: .approve(false)
    case 7, 8, 9: .admit(player)
    case 10: .refuse(player)
    case 11: .end
    case 12: .again
    default: .reopen
    }
  }

  // MARK: - Somebody who pretends

  /// Says over another connection what somebody has said.
  private mutating func replay(_ who: UInt8) throws(Violation) {
    guard !heard.isEmpty else { return }
    let parcel = heard[Int(who) % heard.count]
    let isKnown = who & 0x80 != 0
    guard let wire = try connect(isKnown ? .friend : .stranger, isTrusted: isKnown) else { return }
    try deliver(parcel, over: wire)
  }

  /// Changes a byte of what is on its way.
  private mutating func change(_ who: UInt8, _ place: UInt8) throws(Violation) {
    let waiting = wires.indices.filter { wires[$0].isOpenAtRoom && !wires[$0].toRoom.isEmpty }
    guard !waiting.isEmpty else { return }
    let wire = waiting[Int(who & 15) % waiting.count]
    let parcel = wires[wire].toRoom.removeFirst()
    var bytes: [UInt8] = []
    guard (try? RoomMessage.codec.encode(parcel.message, into: &bytes)) != nil, !bytes.isEmpty else { return }
    bytes[Int(place) * 3 % bytes.count] ^= max(1, who >> 4)
    try deliver(bytes, parcel.proof, over: wire)
  }

  /// Says anything.
  private mutating func invent(_ who: UInt8, _ rest: inout ArraySlice<UInt8>) throws(Violation) {
    let isKnown = who & 0x80 != 0
    guard let wire = try connect(isKnown ? .friend : .stranger, isTrusted: isKnown) else { return }
    let bytes = Array(rest.prefix(Int(who & 0x7F)))
    rest = rest.dropFirst(bytes.count)
    try deliver(bytes, nil, over: wire)
  }

  private mutating func deliver(_ bytes: [UInt8], _ proof: Parcel.Proof?, over wire: Int) throws(Violation) {
    if let message = try? RoomMessage.codec.decode(bytes) {
      try deliver(Parcel(message, proof), over: wire)
    } else {
      try tellRoom(.malformed(ConnectionID(rawValue: wire), RoomReason(.malformed, "no message")))
    }
  }

  /// Shows a secret that was stolen from a player: proves one, maybe of long ago, or sends the latest as a page does.
  private mutating func showStolen(_ who: UInt8) throws(Violation) {
    let players = seats.keys.sorted()
    guard !players.isEmpty else { return }
    let player = players[Int(who & 3) % players.count]
    guard let given = seats[player]?.given, let latest = given.last,
      let wire = try connect(.stranger, isTrusted: false, isWeb: who & 0x80 != 0)
    else { return }
    var seatProof = SeatProof(room: room, player: player, secretOverWeb: latest)
    var proof: Parcel.Proof?
    if who & 0x40 == 0 {
      let secret = given[Int(who >> 2 & 15) % given.count]
      seatProof = SeatProof(room: room, player: player, secret: secret, over: wires[wire].peer.binding)
      if who & 0x80 == 0 { proof = Parcel.Proof(wire: wire, seat: (player, secret), seatProof: seatProof, invitation: nil) }
    }
    try deliver(Parcel(.hello(RoomMessage.Hello(name: "Eve", seat: seatProof)), proof), over: wire)
  }

  // MARK: - The host's program

  /// Kills the host, and starts it again with what it had written down.
  private mutating func restart() throws(Violation) {
    guard let (state, seats) = written, restarts < Self.mostRestarts else { return }
    restarts += 1
    for wire in wires.indices { wires[wire].isOpenAtRoom = false }
    for person in people.indices {
      if let wire = people[person].wire { try loseAtPerson(wire) }
    }
    do {
      machine = try RoomMachine(
        restoring: state, player: nil, shares: limits, invitation: invitation, generator: TwentyFour.SeededGenerator(seed: 7),
        at: now)
    } catch {
      throw Violation("what the host has written down is of no use: \(error)")
    }
    let later = self.seats
    self.seats = Dictionary(
      uniqueKeysWithValues: seats.map { player, seat in
        let given = later[player]?.given ?? seat.given
        var ahead = seat.ahead
        for secret in given[seat.given.count...] where !ahead.contains(secret) { ahead.append(secret) }
        return (player, Seat(good: seat.good, ahead: Array(ahead.prefix(16)), given: given, wire: nil))
      })
    try tellRoom(.open)
  }
}
