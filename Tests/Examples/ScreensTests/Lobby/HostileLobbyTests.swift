import Bonjourish
import Names
import Rooms
import TestSupport
import Testing
import _BonjourishTerminal

@testable import Screens

struct HostileLobbyTests {
  private static let honest = ["Ada's game", "Bob's game", "Bill d's game"]

  @Test func `no room name reaches the terminal as anything but text, and lookalikes are marked`() {
    let names = Self.honest + HostileTexts.make(1_000, from: Self.honest)
    let shown = RoomNames(names).all
    #expect(shown.count == 1_003)
    for (name, text) in zip(names, shown) {
      #expect(HostileTexts.dangers(in: text) == [], "\(name.debugDescription)")
      #expect(HostileTexts.longestHeapOfMarks(in: text) <= 4)
      #expect(!Likeness(of: text).isBlank)
    }
    let likenesses = names.map { Likeness(of: $0) }
    for (index, one) in likenesses.enumerated().prefix(60) {
      let isConfusable = likenesses.indices.contains { $0 != index && likenesses[$0].isConfusable(with: one) }
      #expect(shown[index].hasSuffix("(looks like another room)") == isConfusable, "\(shown[index])")
    }
  }

  @Test func `rooms of different names are shown as they are`() {
    #expect(RoomNames(Self.honest).all == Self.honest)
    #expect(
      RoomNames(["Ada's game", "\u{2800}\u{3164}", "Аda's game"]).all == [
        "Ada's game (looks like another room)", "(a room without a name)", "Аda's game (looks like another room)",
      ])
  }
}
