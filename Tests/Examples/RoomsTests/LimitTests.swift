import Bonjourish
import Foundation
import FramedJSON
import FramedSecurity
import Testing
import TwentyFour

@testable import Rooms

/// Small values of a room, each at its limits.
struct LimitTests {
  private let bob = ConnectionID(rawValue: 7)

  // MARK: - Shares and bans

  @Test func `all who have a share may come at once, or as many as in two seconds`() {
    #expect(ShareLimits(seats: 3, joinsPerSecond: 2).joins == ShareLimits.Rate(perSecond: 2, burst: 6))
    #expect(ShareLimits(seats: 1, joinsPerSecond: 10).joins == ShareLimits.Rate(perSecond: 10, burst: 20))
    let usual = ShareLimits()
    #expect(usual.seats == 4 && usual.spectators == 4 && usual.matches == 2)
    #expect(usual.messages == ShareLimits.Rate(perSecond: 50, burst: 200))
  }

  @Test func `places are added and taken away by their kinds`() {
    let (some, few) = (TakenPlaces(seats: 5, spectators: 7), TakenPlaces(seats: 1, spectators: 2))
    #expect(some + few == TakenPlaces(seats: 6, spectators: 9) && some - few == TakenPlaces(seats: 4, spectators: 5))
  }

  @Test(arguments: [(16, 11, true), (16, 12, false), (3, 2, true), (4, 2, true), (4, 3, false), (7, 5, true), (7, 6, false)])
  func `the last quarter is for those who have nothing`(places: Int, occupied: Int, isFree: Bool) {
    func code(_ shares: ShareLimits, _ taken: Int) -> RoomReason.Code? {
      do throws(RoomReason) { try shares.check(taken, lastQuarterOf: places, occupied: occupied) } catch { return error.code }
      return nil
    }
    #expect(code(ShareLimits(), 1) == (isFree ? nil : .share))
    #expect(code(ShareLimits(), 0) == nil && code(.none, 1) == nil)
  }

  @Test func `a ban is lifted for all who were banned from the same place`() throws {
    let home = Peer(address: Origin(rawValue: "10.0.0.2"))
    let other = Peer(address: Origin(rawValue: "10.0.0.3"))
    var bans = BanList<PlayerID>()
    let numbers = (1...3).map { PlayerID(rawValue: $0) }
    for (number, peer) in zip(numbers, [home, home, other]) { bans.ban(number, peer) }
    #expect(numbers.allSatisfy { bans.contains($0) } && bans.contains(home) && bans.contains(other))
    let isLifted = bans.lift(numbers[0])
    #expect(isLifted && !bans.contains(home) && bans.contains(other))
    #expect(numbers.map { bans.contains($0) } == [false, false, true])
    let isLiftedAgain = bans.lift(numbers[1])
    #expect(!isLiftedAgain)
  }

  @Test func `places that have rested are forgotten from 256 on, and then when there are twice as many`() {
    var limiter = RateLimiter(ShareLimits.Rate(perSecond: 1, burst: 1))
    var last = 0
    func use(_ count: Int, at time: Duration) {
      for number in last..<(last + count) { _ = limiter.allows(Origin(rawValue: "\(number)"), at: time) }
      last += count
    }
    use(255, at: .zero)
    #expect(limiter.count == 255)
    use(1, at: .seconds(10))
    #expect(limiter.count == 1)
    use(300, at: .seconds(20))
    #expect(limiter.count == 300)
    use(209, at: .seconds(30))
    #expect(limiter.count == 509)
    use(1, at: .seconds(30))
    #expect(limiter.count == 210)
  }

  // MARK: - Secrets of seats

  @Test func `a seat that an earlier version has stored gets a seed with its next secret`() throws {
    let peer = Peer(address: Origin(of: bob))
    func proof(_ secret: String) -> SeatProof {
      SeatProof(room: RoomMessageTests.room, player: PlayerID(rawValue: 2), secret: secret, over: peer.binding)
    }
    var seat = try JSONDecoder().decode(SeatSecret.self, from: Data(#"{"known":"first"}"#.utf8))
    #expect(seat.latest == "first" && !seat.isWeb && seat.isShown(by: proof("first"), over: peer))
    seat.exchange(after: proof("first"), over: peer) { "seed" }
    var seeded = SeatSecret("first", seed: "seed")
    seeded.exchange(after: proof("first"), over: peer) { "another seed" }
    #expect(seat == seeded && seat.latest != "first" && seat.latest.utf8.count == 32)
    // The one before is good until the player has shown the new one.
    #expect(seat.isShown(by: proof("first"), over: peer) && seat.isShown(by: proof(seat.latest), over: peer))
    seat.confirm()
    #expect(!seat.isShown(by: proof("first"), over: peer) && seat.isShown(by: proof(seat.latest), over: peer))
  }

  @Test(arguments: [(Int.min, 0), (-1, 0), (0, 0), (7, 7)])
  func `whatever number a file says, the secrets go on`(number: Int, last: Int) throws {
    let peer = Peer(address: Origin(of: bob))
    func exchanged(_ number: Int) throws -> String {
      let json = #"{"known":"first","seed":"seed","number":\#(number)}"#
      var seat = try JSONDecoder().decode(SeatSecret.self, from: Data(json.utf8))
      let proof = SeatProof(room: RoomMessageTests.room, player: PlayerID(rawValue: 2), secret: "first", over: peer.binding)
      #expect(seat.isShown(by: proof, over: peer))
      seat.exchange(after: proof, over: peer) { "another seed" }
      return seat.latest
    }
    #expect(try exchanged(number) == exchanged(last))
    // The largest number is none that overflows.
    #expect(try exchanged(.max) != exchanged(last))
  }

  // MARK: - Names and words

  @Test func `every word of a decision is read`() {
    for word in HostRule.words {
      let rule = HostRule(word) ?? HostRule("\(word) 3")
      #expect(rule?.word == word && (rule?.player == nil || rule?.player == PlayerID(rawValue: 3)), "\(word)")
      #expect(HostRule(word) == nil || HostRule("\(word) 3") == nil, "\(word)")
    }
    #expect(Set(HostRule.words).count == 14)
  }

  @Test(
    arguments: [
      ("Ada's GAME", "ada's game"), ("ÄDA", "Äda"), ("", "?"), ("a\u{7}b", #"a\u{7}b"#),
      (String(repeating: "é", count: 1_000), String(repeating: "é", count: PinStore.longestName / 2)),
    ])
  func `a key is remembered by a name that a file can have`(place: String, name: String) {
    #expect(PlayerSecurity.name(ofRoomAt: place) == name)
  }

  @Test func `only who asks for no encryption has none`() {
    #expect(PlayerSecurity.plaintext.isPlaintext)
    for knowledge in [PlayerSecurity.Knowledge.key, .passcode("471123")] {
      #expect(!PlayerSecurity(knowledge, identity: nil, pins: PinStore()).isPlaintext)
    }
  }

  // MARK: - Messages

  @Test(
    arguments: [
      (#"{"kind":"approval","seconds":86400}"#, true), (#"{"kind":"approval","seconds":86400.001}"#, false),
      (#"{"kind":"approval","seconds":0}"#, true), (#"{"kind":"approval","seconds":-0.001}"#, false),
      (#"{"kind":"closed","code":"\#(String(repeating: "x", count: 64))","text":""}"#, true),
      (#"{"kind":"closed","code":"x","text":"\#(String(repeating: "x", count: 1_000))"}"#, true),
      (#"{"kind":"missing","count":0}"#, true), (#"{"kind":"hint","cost":0,"step":1,"operation":"+"}"#, true),
      (
        #"{"kind":"standings","standings":[{"player":{"id":1,"name":"A"},"status":"waiting","points":0,"hints":0}]}"#, true
      ),
    ])
  func `what is just allowed is read`(json: String, isGood: Bool) {
    #expect(((try? RoomMessage.codec.decode(Array(json.utf8))) != nil) == isGood)
  }

  @Test func `of several numbers of spectators the latest is kept`() async {
    let mailbox = RoomMailbox()
    for count in 1...3 { mailbox.append(.spectators(count)) }
    mailbox.append(.missing(1))
    mailbox.append(.spectators(4))
    mailbox.append(.closed(.hostLeft))
    let events: [RoomEvent] = await RoomEvents(mailbox: mailbox).reduce(into: []) { $0.append($1) }
    #expect(events == [.spectators(3), .missing(1), .spectators(4), .closed(.hostLeft)])
    #expect(RoomMailbox.compacted(events) == [.missing(1), .spectators(4), .closed(.hostLeft)])
  }

  // MARK: - Crowds

  @Test func `in a crowd the number of missing players is told to each new player, and to all once`() throws {
    var room = try TestRoom(Match.Rules(minimumPlayers: 12), shares: .none)
    room.handle(.open)
    func missing(_ effects: [HostEffect], _ id: ConnectionID) -> [RoomEvent] {
      effects.told(id).filter { if case .missing = $0 { true } else { false } }
    }
    var told: [[RoomEvent]] = []
    for number in 1...8 {
      let id = ConnectionID(rawValue: number)
      let effects = room.enter(id, "P\(number)")
      #expect(missing(effects, id) == [.missing(11 - number)])
      told.append(missing(effects, ConnectionID(rawValue: 1)))
    }
    // The room's own opening was the first of five updates.
    #expect(told == [[.missing(10)], [.missing(9)], [.missing(8)], [.missing(7)], [], [], [], []])
    let later = room.passTime(.seconds(1))
    #expect(missing(later, ConnectionID(rawValue: 1)) == [.missing(3)])
    #expect(later.events.last == .missing(3))
    #expect(room.passTime(.seconds(1)).told(ConnectionID(rawValue: 1)) == [])
  }
}
