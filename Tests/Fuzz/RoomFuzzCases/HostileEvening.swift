import FramedSecurity
import FuzzCases
import Rooms
import TwentyFour

/// A room and its people, and an account of our own of who may have which seat.
struct HostileEvening {
  /// What somebody who has a seat may show.
  struct Seat {
    /// The secrets that are good.
    var good: [String]
    /// Those that were given since the state that the host goes on from. They are good until one of them, or a later one, takes their place.
    var ahead: [String] = []
    /// The secrets of all welcomes, the latest last.
    var given: [String]
    var wire: Int?

    func isGood(_ secret: String) -> Bool { good.contains(secret) || ahead.contains(secret) }
  }

  static let mostWires = 48
  private static let mostPlayers = 4
  private static let mostParcels = 64
  /// Few, because looking through what was written takes most time of all.
  static let mostRestarts = 2

  let limits: ShareLimits
  let invitation: Invitation
  let room = RoomID()
  var machine: RoomMachine
  private(set) var now = Duration.zero
  var people: [Person]
  var wires: [Wire] = []
  var seats: [PlayerID: Seat] = [:]
  /// All that were ever given away.
  private var secrets: Set<String> = []
  /// All that was ever said to the room, for who repeats it.
  private(set) var heard: [Parcel] = []
  /// What the host has written down.
  var written: (state: RoomMachine.Snapshot, seats: [PlayerID: Seat])?
  var restarts = 0

  static func rules(_ settings: UInt8) -> Match.Rules {
    Match.Rules(
      roundDuration: .seconds(20), pause: .seconds(2), rounds: settings & 1 == 0 ? nil : 3, minimumPlayers: 2,
      maximumPlayers: mostPlayers, returnLimit: .seconds(60))
  }

  init(_ settings: UInt8) throws(Violation) {
    let invitation = Invitation.random()
    self.invitation = invitation
    limits = settings & 2 == 0 ? .none : ShareLimits()
    people = Person.Kind.allCases.compactMap { Person($0, invitation: invitation) }
    try Violation.unless(people.count == Person.Kind.allCases.count, "a name was refused")
    machine = RoomMachine(
      room: room, player: settings & 4 == 0 ? try? PlayerName("Host") : nil, rules: Self.rules(settings), shares: limits,
      approves: settings & 8 != 0, invitation: invitation, generator: SeededGenerator(seed: UInt64(settings)))
    try tellRoom(.open)
  }

  // MARK: - Time and connections

  /// Moves the clock. Everything that falls due meanwhile happens at once, at the end.
  mutating func pass(_ time: Duration) throws(Violation) {
    now += time
    try tellRoom(.timePassed(room))
    for number in people.indices { try tell(number, .timePassed) }
  }

  /// Makes a connection.
  ///
  /// - Returns: Its number; `nil` if there were too many.
  mutating func connect(_ kind: Person.Kind, isTrusted: Bool, isWeb: Bool = false) throws(Violation) -> Int? {
    guard wires.count < Self.mostWires else { return nil }
    let number = wires.count
    let key = kind == .friendWithKey ? KeyFingerprint([UInt8](repeating: 5, count: KeyFingerprint.byteCount)) : nil
    let address = Origin(rawValue: kind == .stranger ? "192.0.2.66" : "192.0.2.1")
    let binding = isWeb ? [] : Wire.binding(number)
    wires.append(Wire(peer: Peer(address: address, key: key, isTrusted: isTrusted, binding: binding, isWeb: isWeb)))
    try tellRoom(.connected(ConnectionID(rawValue: number), wires[number].peer))
    return number
  }

  /// Has the room notice that a connection is broken.
  mutating func loseAtRoom(_ number: Int) throws(Violation) {
    guard wires[number].isOpenAtRoom else { return }
    closedAtRoom(number)
    try tellRoom(.disconnected(ConnectionID(rawValue: number)))
  }

  /// Has a person notice that the connection is broken.
  mutating func loseAtPerson(_ number: Int) throws(Violation) {
    guard let person = people.firstIndex(where: { $0.wire == number }) else { return }
    people[person].wire = nil
    wires[number].toPerson = []
    try tell(person, .disconnected)
  }

  private mutating func closedAtRoom(_ number: Int) {
    wires[number].isOpenAtRoom = false
    wires[number].isAdmitted = false
    if let player = wires[number].player, seats[player]?.wire == number { seats[player]?.wire = nil }
  }

  // MARK: - People

  /// Has a person connect who is not connected.
  mutating func join(_ number: Int) throws(Violation) {
    guard people[number].wire == nil else { return }
    let (kind, proves) = (people[number].kind, people[number].proves)
    guard let wire = try connect(kind, isTrusted: proves) else { return }
    people[number].wire = wire
    try tell(number, .connected(Peer(address: Origin(rawValue: "192.0.2.9"), binding: Wire.binding(wire))))
  }

  /// Tells a person's program of an event, and does what it asks for.
  mutating func tell(_ number: Int, _ event: PlayerMachine.Event) throws(Violation) {
    let duties = people[number].handle(event, at: now)
    let wire = people[number].wire
    if let wire {
      for message in duties.said {
        var proof: Parcel.Proof?
        if case .hello(let hello) = message {
          proof = Parcel.Proof(wire: wire, seat: people[number].seat, seatProof: hello.seat, invitation: hello.invitation)
          // Whoever was in once is known to the host by the seat.
          people[number].proves = false
        }
        send(Parcel(message, proof), over: wire)
      }
      if duties.breaks {
        try loseAtRoom(wire)
        try loseAtPerson(wire)
      }
    }
    if duties.ends {
      if let wire = people[number].wire {
        for _ in wires[wire].toRoom { try deliverToRoom(wire) }
        try loseAtRoom(wire)
      }
      people[number].beginAnew()
    }
  }

  private mutating func send(_ parcel: Parcel, over wire: Int) {
    guard wires[wire].isOpenAtRoom, wires[wire].toRoom.count < Self.mostParcels else { return }
    wires[wire].toRoom.append(parcel)
    if heard.count < Self.mostParcels { heard.append(parcel) }
  }

  /// Has the next message of the room arrive.
  mutating func deliverToPerson(_ wire: Int) throws(Violation) {
    guard let person = people.firstIndex(where: { $0.wire == wire }) else { return }
    guard !wires[wire].toPerson.isEmpty else {
      if !wires[wire].isOpenAtRoom { try loseAtPerson(wire) }
      return
    }
    let message = wires[wire].toPerson.removeFirst()
    if case .welcome(let welcome) = message, let player = welcome.player, let secret = welcome.secret {
      people[person].seat = (player.id, secret)
    }
    try tell(person, .received(message))
  }

  // MARK: - The room

  /// Has a person's next message arrive.
  mutating func deliverToRoom(_ wire: Int) throws(Violation) {
    guard wires[wire].isOpenAtRoom, !wires[wire].toRoom.isEmpty else { return }
    try deliver(wires[wire].toRoom.removeFirst(), over: wire)
  }

  mutating func deliver(_ parcel: Parcel, over wire: Int) throws(Violation) {
    guard wires[wire].isOpenAtRoom else { return }
    let owed = owedSeat(parcel, over: wire)
    if case .hello = parcel.message, wires[wire].hello == nil { wires[wire].hello = parcel }
    try tellRoom(.received(ConnectionID(rawValue: wire), parcel.message))
    if case .act = parcel.message, wires[wire].isOpenAtRoom, let player = wires[wire].player, let seat = seats[player] {
      // So the player has the latest.
      seats[player]?.good = Array(seat.given.suffix(1))
    }
    if let owed {
      try Violation.unless(wires[wire].player == owed, "somebody with a seat, and its secret, did not get it back")
    }
  }

  /// The seat that somebody must get for a hello; `nil` if there may be a reason to refuse it.
  private func owedSeat(_ parcel: Parcel, over wire: Int) -> PlayerID? {
    // A hello that was changed on the way may be refused for that, or may be that of a spectator.
    guard case .hello(let hello) = parcel.message, (try? hello.checked()) != nil, !hello.spectates else { return nil }
    guard machine.isOpen, limits == .none, wires[wire].hello == nil, let (player, secret) = parcel.provenSeat(over: wire),
      seats[player]?.isGood(secret) == true, machine.match.standings.contains(where: { $0.player.id == player })
    else { return nil }
    return player
  }

  /// Tells the room of an event, and carries out and judges what it wants.
  mutating func tellRoom(_ event: RoomMachine.Event) throws(Violation) {
    let effects = machine.handle(event, at: now)
    try Violation.unless(effects.count < 1_000, "one event has \(effects.count) effects")
    for effect in effects {
      switch effect {
      case .broadcast(_, let event):
        for number in wires.indices where wires[number].isAdmitted { post(.event(event), to: number) }
      case .send(let message, let id):
        if case .welcome(let welcome) = message { try judge(welcome, to: id.rawValue) }
        post(message, to: id.rawValue)
      case .admit(let id, _):
        wires[id.rawValue].isAdmitted = true
      case .disconnect(let id, let reason):
        if let reason { post(.event(.closed(reason)), to: id.rawValue) }
        closedAtRoom(id.rawValue)
      case .report, .keep, .show, .advertise, .wake, .over: break
      }
    }
    try Violation.unless(machine.match.players.count <= Self.mostPlayers, "there are more players than places")
  }

  private mutating func post(_ message: RoomMessage, to wire: Int) {
    guard wires[wire].isOpenAtRoom, wires[wire].toPerson.count < Self.mostParcels else { return }
    wires[wire].toPerson.append(message)
  }

  /// Whether somebody may be welcomed.
  private mutating func judge(_ welcome: RoomMessage.Welcome, to wire: Int) throws(Violation) {
    guard wires[wire].isOpenAtRoom, let hello = wires[wire].hello else {
      throw Violation("somebody was welcomed who is not there, or has not said hello")
    }
    let mayComeIn = wires[wire].peer.isTrusted || hello.provesInvitation(over: wire)
    guard let player = welcome.player?.id else {
      return try Violation.unless(mayComeIn, "somebody watches without a passcode or an invitation")
    }
    guard let secret = welcome.secret else { throw Violation("a player got no secret") }
    let isAgain = seats[player]?.ahead.contains(secret) == true
    try Violation.unless(secrets.insert(secret).inserted || isAgain, "a secret was given away twice")
    wires[wire].player = player
    guard let seat = seats[player] else {
      try Violation.unless(mayComeIn, "somebody plays without a passcode or an invitation")
      seats[player] = Seat(good: [secret], given: [secret], wire: wire)
      return
    }
    guard let (proven, shown) = hello.provenSeat(over: wire), proven == player, seat.isGood(shown) else {
      throw Violation("somebody got a seat without a proof of its secret over this connection")
    }
    try Violation.unless(seat.wire == nil, "a seat is had over two connections")
    let ahead = seat.ahead.lastIndex { $0 == shown || $0 == secret }.map { Array(seat.ahead[($0 + 1)...]) } ?? seat.ahead
    seats[player] = Seat(good: [shown, secret], ahead: ahead, given: seat.given + [secret], wire: wire)
  }
}
