import FramedTransport
import Testing

@testable import transport_bench

struct SessionTests {
  private func number(_ value: UInt64, _ size: Int = 8) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }

  private func data(_ sequence: UInt64) -> [UInt8] { [0x44] + number(sequence) }

  private func end(_ count: UInt64) -> [UInt8] { [0x45] + number(count) }

  private func counted(_ count: UInt64) -> Session.Action { .answer([0x65] + number(count)) }

  @Test func `data are counted, and the end is answered once they are in`() throws {
    var session = Session()
    for sequence: UInt64 in 5..<8 { #expect(try session.handle(data(sequence).span) == .nothing) }
    #expect(try session.handle(end(3).span) == counted(3))
    // The next round may begin anywhere, and may count on.
    #expect(try session.handle(end(2).span) == .nothing)
    #expect(try session.handle(data(0).span) == .nothing)
    #expect(try session.handle(data(1).span) == counted(2))
    #expect(try session.handle(data(2).span) == .nothing)
    #expect(try session.handle(end(6).span) == counted(6))
    // More than announced is told as it is.
    #expect(try session.handle(data(0).span) == .nothing)
    #expect(try session.handle(end(0).span) == counted(1))
  }

  @Test func `every kind has its answer`() throws {
    var session = Session()
    #expect(try session.handle([0x50, 1, 2].span) == .echo)
    #expect(try session.handle([0x48].span) == .welcome)
    #expect(try session.handle(([0x47] + number(7, 4) + number(256, 4)).span) == .broadcast(Broadcast(count: 7, size: 256)))
    guard case .answer(let status) = try session.handle([0x53].span) else {
      Issue.record("a status is not answered")
      return
    }
    #expect(status.count == 13)
    #expect(status[0] == 0x73)
  }

  @Test(arguments: [
    [], [0], [0x44, 1], [0x45], [0x45, 1], [0x47], [0x65], [0x68], [0x73], [0x42],
    [0x47, 0, 0, 0, 1, 0, 0, 0, 0], [0x47, 0, 0, 0, 1, 0, 1, 0, 1],
  ])
  func `what is not of the protocol is misuse`(_ body: [UInt8]) {
    var session = Session()
    #expect(throws: Session.Misuse.self) { try session.handle(body.span) }
  }

  @Test func `data out of order are misuse`() throws {
    var session = Session()
    #expect(try session.handle(data(1).span) == .nothing)
    #expect(throws: Session.Misuse(description: "data frame 1 came where 2 was due")) { try session.handle(data(1).span) }
  }
}
