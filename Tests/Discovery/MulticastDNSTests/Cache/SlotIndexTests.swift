import Testing
import _BonjourishBase

@testable import _BonjourishMulticastDNS

struct SlotIndexTests {
  /// Hashes of which some are equal in their last bits.
  private static let hashes = [0, 1, 2, 16, 1 << 20, -1]

  @Test func `slots are found by their hash until they are removed`() {
    var random = SeededGenerator(seed: 1)
    var index = SlotIndex()
    var known: [Int: Int] = [:]
    for _ in 0..<20_000 {
      let slot = Int.random(in: 0..<500, using: &random)
      if known.removeValue(forKey: slot) != nil {
        index.remove(slot)
      } else {
        let hash = Self.hashes.randomElement(using: &random)!
        known[slot] = hash
        index.insert(slot, hash: hash)
      }
      let hash = Self.hashes.randomElement(using: &random)!
      var found: Set<Int> = []
      let wanted = index.first(hash: hash) { slot in
        found.insert(slot)
        return false
      }
      #expect(wanted == nil)
      #expect(found == Set(known.keys.filter { known[$0] == hash }))
    }
  }

  @Test func `of several slots with a hash the wanted one is found`() {
    var index = SlotIndex()
    for slot in 0..<10 { index.insert(slot, hash: 5) }
    #expect(index.first(hash: 5) { $0 == 7 } == 7)
    #expect(index.first(hash: 5) { $0 == 10 } == nil)
    #expect(index.first(hash: 6) { _ in true } == nil)
  }
}
