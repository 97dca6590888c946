import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@Suite struct KeyReaderTests {
  private let start = ContinuousClock.now
  private let region = Region("world")!
  private let ada = RecordTests.record("Ada")
  private let lost = JetStreamFailure(code: 0, kind: 0, text: "the connection is lost")
  private var reader = KeyReader(
    RecordTests.record("Ada").key(in: Region("world")!), lease: .standard, allowsLoopback: false)

  private func found(_ record: DirectoryRecord, _ revision: UInt64, data: [UInt8]? = nil, isDeletion: Bool = false)
    -> DirectAnswer
  {
    .message(
      DirectoryMessage(headers: isDeletion ? ["KV-Operation": "DEL"] : [:], data: isDeletion ? [] : data ?? record.bytes),
      revision: revision)
  }

  @Test mutating func `a record is read at once, and again every five seconds`() {
    #expect(reader.start(at: start) == [.read(number: 1)])
    #expect(reader.answered(1, found(ada, 7), at: start) == [.appeared(ada), .settled])
    #expect(reader.advance(to: start + .milliseconds(4_900)).isEmpty)
    #expect(reader.advance(to: start + .seconds(5)) == [.read(number: 2)])
    var changed = ada
    changed.port = 1
    #expect(reader.answered(2, found(changed, 8), at: start + .seconds(5)) == [.changed(from: ada, to: changed)])
    #expect(reader.advance(to: start + .seconds(10)) == [.read(number: 3)])
    #expect(reader.answered(3, found(changed, 9), at: start + .seconds(10)).isEmpty)
    #expect(reader.counters.renewals == 1)
    #expect(reader.advance(to: start + .seconds(15)) == [.read(number: 4)])
    #expect(reader.answered(4, found(changed, 10, isDeletion: true), at: start + .seconds(15)) == [.vanished(changed)])
    #expect(reader.records.isEmpty)
  }

  @Test mutating func `a record that is not there yet is read every second`() {
    _ = reader.start(at: start)
    #expect(reader.answered(1, .none, at: start) == [.settled])
    #expect(reader.advance(to: start + .milliseconds(900)).isEmpty)
    #expect(reader.advance(to: start + .seconds(1)) == [.read(number: 2)])
    #expect(reader.answered(2, found(ada, 7), at: start + .seconds(1)) == [.appeared(ada)])
    #expect(reader.nextDeadline == start + .seconds(6))
  }

  @Test mutating func `a record that is missing without a mark stays until it would have been renewed`() {
    _ = reader.start(at: start)
    _ = reader.answered(1, found(ada, 7), at: start)
    var events: [KeyReader.Effect] = []
    for second in stride(from: 5, through: 40, by: 5) {
      events += reader.advance(to: start + .seconds(second))
      events += reader.answered(UInt64(second / 5 + 1), second < 20 ? found(ada, 7) : .none, at: start + .seconds(second))
    }
    #expect(events == (2...9).map { .read(number: $0) })
    #expect(reader.advance(to: start + .seconds(45)) == [.vanished(ada), .read(number: 10)])
  }

  @Test mutating func `a directory that does not answer is an interruption: at once at first, after a third of a lease later`()
  {
    #expect(reader.disconnect(lost, at: start) == [.interrupted(lost)])
    #expect(reader.start(at: start) == [.read(number: 1)])
    #expect(reader.answered(1, found(ada, 7), at: start) == [.restored, .settled])
    #expect(reader.records == [ada])
    #expect(reader.disconnect(lost, at: start + .seconds(1)).isEmpty)
    // Back before it is told.
    #expect(reader.start(at: start + .seconds(2)) == [.read(number: 2)])
    #expect(reader.answered(2, found(ada, 8), at: start + .seconds(2)).isEmpty)
    // Connected, but nobody answers.
    #expect(reader.advance(to: start + .seconds(7)) == [.read(number: 3)])
    #expect(reader.advance(to: start + .seconds(10)).isEmpty)
    #expect(reader.answered(3, found(ada, 9), at: start + .seconds(10)).isEmpty, "the answer is late")
    for (number, second) in zip(UInt64(4)..., stride(from: 11, through: 27, by: 4)) {
      #expect(reader.advance(to: start + .seconds(second)) == [.read(number: number)])
      #expect(reader.advance(to: start + .seconds(second + 3)) == (second < 27 ? [] : [.interrupted(Claim.noAnswer)]))
    }
    #expect(!reader.isSettled)
    #expect(reader.advance(to: start + .seconds(31)) == [.read(number: 9)])
    #expect(reader.answered(9, .none, at: start + .seconds(31)) == [.restored, .settled])
    #expect(reader.records == [ada])
  }

  @Test mutating func `a refusal is tried again after a second`() {
    let missing = JetStreamFailure(DirectoryMessage(status: 503), status: 503)
    _ = reader.start(at: start)
    #expect(reader.answered(1, .refused(missing), at: start) == [.interrupted(missing)])
    #expect(reader.answered(1, found(ada, 7), at: start).isEmpty)
    #expect(reader.advance(to: start + .seconds(1)) == [.read(number: 2)])
    #expect(reader.answered(2, .none, at: start + .seconds(1)) == [.restored, .settled])
  }

  @Test mutating func `a record that breaks the rules counts as none`() {
    _ = reader.start(at: start)
    #expect(reader.answered(1, found(RecordTests.record("Bob"), 7), at: start) == [.settled])
    _ = reader.advance(to: start + .seconds(1))
    #expect(reader.answered(2, found(ada, 8), at: start + .seconds(1)) == [.appeared(ada)])
    _ = reader.advance(to: start + .seconds(6))
    #expect(reader.answered(3, found(ada, 9, data: [1, 2, 3]), at: start + .seconds(6)) == [.vanished(ada)])
    #expect(reader.counters.flaws == [.wrongKey: 1, .notJSON: 1])
  }
}
