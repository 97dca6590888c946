import Bonjourish
import Testing

@testable import Rooms

struct MatchPlaceTests {
  @Test func `a match is looked for by itself unless it is what was joined`() {
    let place = MatchPlace(of: ServiceInstance("TwentyFour", type: RoomHost.serviceType))
    #expect(place.match == nil)
    place.set("TwentyFour · match 12-3f9a")
    #expect(place.match == ServiceInstance("TwentyFour · match 12-3f9a", type: RoomHost.serviceType))
    place.set("TwentyFour")
    #expect(place.match == nil)
    // A host may send anything.
    for name in ["", String(repeating: "a", count: 64), "a\u{7}"] {
      place.set(name)
      #expect(place.match == nil)
    }
  }
}
