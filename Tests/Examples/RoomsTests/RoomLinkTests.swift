import FramedSecurity
import Testing

@testable import Rooms

struct RoomLinkTests {
  private let key = try! Identity.ephemeral().fingerprint

  @Test(arguments: ["Ada's game", "李雷's game", "a/b?c&d=e#f%20", "ESC \u{1b}[2J", " "])
  func `a link is read as it was written, whatever the name`(name: String) throws {
    for invitation in [nil, Invitation.random()] {
      let link = RoomLink(name: name, key: key, invitation: invitation)
      #expect(RoomLink(link.description) == link)
      // As a QR code may have it.
      #expect(RoomLink(link.description.uppercased())?.invitation == invitation)
      #expect(link.description.utf8.allSatisfy { 0x21...0x7e ~= $0 })
    }
  }

  @Test func `an incomplete link is none`() throws {
    let link = RoomLink(name: "Ada", key: key, invitation: .random()).description
    for size in 0..<link.count {
      let part = RoomLink(String(link.prefix(size)))
      // Only the invitation can be missing whole.
      #expect(part == nil || part?.invitation == nil)
    }
    #expect(RoomLink(link + "x") == nil)
    #expect(RoomLink("twentyfour:?key=\(key)") == nil)
    #expect(RoomLink("http:Ada?key=\(key)") == nil)
    #expect(RoomLink("twentyfour:Ada?key=\(key)&invitation=") == nil)
    #expect(RoomLink("twentyfour:" + String(repeating: "x", count: 100_000)) == nil)
    #expect(RoomLink.isLink("TwentyFour:Ada") && !RoomLink.isLink("Ada's game"))
  }
}
