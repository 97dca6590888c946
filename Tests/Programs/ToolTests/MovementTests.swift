import Testing
import _BonjourishTerminal

@testable import bonjourish_cli

/// The keys that move in the table of `browse`.
struct MovementTests {
  @Test(
    arguments: [
      (.up, .up), (.text("k"), .up), (.down, .down), (.text("j"), .down), (.pageUp, .pageUp), (.pageDown, .pageDown),
      (.text(" "), .pageDown), (.home, .top), (.text("g"), .top), (.end, .bottom), (.text("G"), .bottom),
    ] as [(Key, BrowseTable.Movement)])
  func `arrows, pages and letters move`(key: Key, movement: BrowseTable.Movement) {
    #expect(BrowseTable.Movement(key) == movement)
  }

  @Test(arguments: [.text("K"), .text("x"), .left, .right, .enter, .tab, .control("k"), .alt("g"), .paste("k")] as [Key])
  func `other keys do not`(key: Key) {
    #expect(BrowseTable.Movement(key) == nil)
  }
}
