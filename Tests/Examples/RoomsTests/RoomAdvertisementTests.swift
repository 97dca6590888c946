import Bonjourish
import Testing
import TwentyFour

@testable import Rooms

struct RoomAdvertisementTests {
  static let pairs = [
    "v": "3", "id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "players": "3", "max": "16", "state": "playing",
    "lock": "passcode", "key": "mfzw-64tz-onua-o3tp",
  ]

  @Test func `stands in TXT pairs as documented, and is read back`() throws {
    let advertisement = try RoomAdvertisement(pairs: Self.pairs)
    #expect(advertisement.room.text == Self.pairs["id"])
    #expect(advertisement.players == 3)
    #expect(advertisement.maximumPlayers == 16)
    #expect(advertisement.state == .playing)
    #expect(advertisement.hasRoom)
    #expect(advertisement.lock == .passcode && advertisement.key == "mfzw-64tz-onua-o3tp")
    #expect(advertisement.pairs == Self.pairs)
  }

  @Test(arguments: [(27, 27), (28, 28), (29, 28), (31, 28)])
  func `the name of a room has as much of the host's name as fits into 63 bytes`(count: Int, kept: Int) throws {
    func name(_ count: Int) -> String { String(repeating: "é", count: count) }
    let player = try PlayerName(name(count))
    #expect(InstanceName.room(of: player).text == name(kept) + "'s game")
  }

  @Test func `ignores other keys and the case of the UUID`() throws {
    let pairs = Self.pairs.merging(["colour": "red", "id": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"]) { $1 }
    #expect(try RoomAdvertisement(pairs: pairs).pairs == Self.pairs)
  }

  @Test(arguments: ["v", "id", "players", "max", "state", "lock"])
  func `needs every key`(key: String) {
    var pairs = Self.pairs
    pairs[key] = nil
    #expect(throws: RoomAdvertisement.Invalid.missing(key: key)) { try RoomAdvertisement(pairs: pairs) }
    pairs[key] = ""
    #expect(throws: key == "v" ? .otherVersion : RoomAdvertisement.Invalid.invalid(key: key)) {
      try RoomAdvertisement(pairs: pairs)
    }
  }

  @Test(arguments: [
    ("id", "6ba7b810"), ("id", String(repeating: "x", count: 100_000)), ("players", "-1"), ("players", "+1"), ("players", "17"),
    ("players", "٣"), ("players", "99999999999999999999"), ("players", " 3"), ("max", "0"), ("max", "129"), ("max", "1e1"),
    ("state", "PLAYING"), ("state", "asleep"), ("lock", "Open"), ("lock", "shut"), ("key", String(repeating: "x", count: 65)),
  ])
  func `refuses values that cannot be`(key: String, value: String) {
    let pairs = Self.pairs.merging([key: value]) { $1 }
    #expect(throws: RoomAdvertisement.Invalid.invalid(key: key)) { try RoomAdvertisement(pairs: pairs) }
  }

  @Test(arguments: [
    ("players", "0"), ("players", "16"), ("max", "3"), ("max", "128"), ("lock", "open"), ("lock", "none"), ("state", "waiting"),
    ("time", "none"), ("key", String(repeating: "x", count: 64)),
  ])
  func `takes values that just can be`(key: String, value: String) throws {
    let pairs = Self.pairs.merging([key: value]) { $1 }
    let advertisement = try RoomAdvertisement(pairs: pairs)
    #expect(advertisement.pairs == pairs && advertisement.hasRoom == (advertisement.players < advertisement.maximumPlayers))
  }

  @Test func `a service is a room if its TXT record says so, in whatever case`() throws {
    let instance = ServiceInstance("Ada's game", type: RoomHost.serviceType)
    func room(_ pairs: [String: String]) -> DiscoveredRoom? {
      let endpoint = Endpoint(host: "ada.local", port: 4242, txt: TXTRecord(of: pairs), addresses: [])
      return DiscoveredRoom(DiscoveredService(instance: instance, links: [], endpoint: endpoint))
    }
    let upper = Dictionary(uniqueKeysWithValues: Self.pairs.map { ($0.key.uppercased(), $0.value) })
    let found = try #require(room(upper))
    #expect(found.advertisement.pairs == Self.pairs && found.name == "Ada's game" && found.id == instance)
    #expect(found.isHere && found.region == nil && found.endpoint.port == 4242)
    #expect(room(["v": "3"]) == nil && DiscoveredRoom(DiscoveredService(instance: instance, links: [])) == nil)
  }

  @Test func `tells another version from nonsense`() {
    #expect(throws: RoomAdvertisement.Invalid.otherVersion) {
      try RoomAdvertisement(pairs: Self.pairs.merging(["v": "1"]) { $1 })
    }
    for error in [RoomAdvertisement.Invalid.otherVersion, .missing(key: "v"), .invalid(key: "id")] {
      #expect(error.description.hasSuffix("."))
    }
  }

  @Test func `room IDs differ`() {
    #expect(RoomID() != RoomID())
    #expect(RoomID(RoomID().text) != nil)
    #expect(RoomID("6ba7b810-9dad-11d1-80b4-00c04fd430c8 ") == nil)
  }
}
