import Testing

@testable import FramedTransport

@Suite struct ReadingShareTests {
  private final class Reader: Sendable {
    var name: ObjectIdentifier { ObjectIdentifier(self) }
  }

  @Test func `who is alone reads as much as there is, and who is not gets his share`() {
    let (first, second) = (Reader(), Reader())
    var share = ReadingShare()
    for _ in 0..<3 { #expect(share.take(for: first.name) == .max) }
    for _ in 0..<3 {
      #expect(share.take(for: second.name) == ReadingShare.besideOthers)
      #expect(share.take(for: first.name) == ReadingShare.besideOthers)
    }
    for _ in 1..<ReadingShare.memory { #expect(share.take(for: first.name) == ReadingShare.besideOthers) }
    #expect(share.take(for: first.name) == .max, "the other has not been there for long")
    #expect(share.take(for: second.name) == ReadingShare.besideOthers)
  }
}
