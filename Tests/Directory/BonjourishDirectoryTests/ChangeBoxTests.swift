import Testing

@testable import BonjourishDirectory

/// The changes of owned values that wait for their reader.
@Suite(.timeLimit(.minutes(1))) struct ChangeBoxTests {
  private let box = ChangeBox()

  @Test func `changes of one value are merged while nobody reads, and each value keeps its place`() async {
    box.set("a", .doubtful("a"))
    box.set("b", .owned("b", stored: 1))
    box.set("a", .owned("a", stored: 2))
    box.offer(OwnedValues.Orphan(name: "c", bytes: [7]))
    #expect(await box.next() == .owned("a", stored: 2))
    #expect(await box.next() == .owned("b", stored: 1))
    #expect(await box.next() == .orphaned(OwnedValues.Orphan(name: "c", bytes: [7])))
    box.set("a", .lost("a"))
    #expect(await box.next() == .lost("a"))
    box.finish()
    #expect(await box.next() == nil)
  }

  @Test func `an orphan is offered as it was written last, and not after it was taken`() async {
    for (name, byte) in [("a", 1), ("b", 1), ("a", 2)] as [(String, UInt8)] {
      box.offer(OwnedValues.Orphan(name: name, bytes: [byte]))
    }
    box.keepOffers { $0 == "a" }
    box.finish()
    #expect(await box.next() == .orphaned(OwnedValues.Orphan(name: "a", bytes: [2])))
    #expect(await box.next() == nil)
  }
}
