import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// A directory that is away, has lost something, or refuses.
extension WatchTests {
  @Test mutating func `what a listing leaves out although its lease goes on is neither lost nor found`() {
    let (ada, bob, cleo) = (RecordTests.record("Ada"), RecordTests.record("Bob"), RecordTests.record("Cleo"))
    _ = watch.start(at: start)
    _ = watch.answered(1, created(3), at: start)
    _ = watch.received(message(ada, 1, pending: 2, age: 50), 1, at: start)
    _ = watch.received(message(bob, 2, pending: 1), 1, at: start)
    _ = watch.received(message(cleo, 3), 1, at: start)
    // The server that leads now has only a part; that Cleo's was withdrawn, it knows.
    #expect(watch.advance(to: start + .seconds(5)) == [.list(number: 2)])
    #expect(watch.answered(2, created(1), at: start + .seconds(6)).isEmpty)
    let removal = message(cleo, 1, age: -5, isDeletion: true)
    #expect(watch.received(removal, 2, at: start + .seconds(6)) == [.vanished(cleo), .settled])
    // Bob's is written again, and Ada's is not.
    #expect(watch.received(message(bob, 2, age: -8), 2, at: start + .seconds(8)).isEmpty)
    #expect(watch.advance(to: start + .seconds(10)) == [.vanished(ada)])
  }

  @Test mutating func `a server that is back without its store makes nothing lost and found`() {
    let ada = RecordTests.record("Ada")
    let lost = JetStreamFailure(code: 0, kind: 0, text: "the connection is lost")
    follow()
    _ = watch.received(message(ada, 1), 1, at: start)
    #expect(watch.disconnect(lost, at: start + .seconds(1)).isEmpty)
    #expect(watch.start(at: start + .seconds(3)) == [.list(number: 2)])
    #expect(watch.answered(2, created(0), at: start + .seconds(3)) == [.settled])
    // The publisher finds that its record is gone, and writes it again.
    #expect(watch.received(message(ada, 1, age: -3), 2, at: start + .seconds(3)).isEmpty)
    // One that had ended meanwhile goes with its lease.
    #expect(watch.disconnect(lost, at: start + .seconds(4)).isEmpty)
    _ = watch.start(at: start + .seconds(5))
    #expect(watch.answered(3, created(0), at: start + .seconds(5)) == [.settled])
    let heartbeat = control(100, ["Nats-Last-Consumer": "0"])
    for second in stride(from: 9, through: 61, by: 4) {
      #expect(watch.received(heartbeat, 3, at: start + .seconds(second)).isEmpty)
    }
    #expect(watch.advance(to: start + .seconds(63)) == [.vanished(ada)])
  }

  @Test mutating func `a watch that is refused because there are too many says so each time`() {
    let lost = JetStreamFailure(code: 0, kind: 0, text: "it has not answered yet")
    let full = JetStreamAnswer(
      DirectoryMessage(
        data: Array(#"{"error":{"code":400,"err_code":10026,"description":"maximum consumers limit reached"}}"#.utf8)))
    guard case .refused(let failure) = full else { return #expect(Bool(false)) }
    #expect(!failure.isFinal && failure.text.contains("set max_consumers of its stream to 1000000"))
    #expect(watch.disconnect(lost, at: start) == [.interrupted(lost)])
    _ = watch.start(at: start)
    #expect(watch.answered(1, full, at: start) == [.full])
    #expect(watch.advance(to: start + .seconds(1)) == [.list(number: 2)])
    #expect(watch.answered(1, full, at: start).isEmpty)
    #expect(watch.answered(2, full, at: start) == [.full])
    _ = watch.advance(to: start + .seconds(2))
    #expect(watch.answered(3, created(0), at: start + .seconds(2)) == [.restored, .settled])
  }

  @Test mutating func `a cluster that loses a server for some seconds is no interruption, and nothing vanishes`() {
    let ada = RecordTests.record("Ada")
    let lost = JetStreamFailure(code: 0, kind: 0, text: "the connection is lost")
    follow()
    _ = watch.received(message(ada, 1), 1, at: start)
    #expect(watch.disconnect(lost, at: start + .seconds(1)).isEmpty)
    #expect(watch.nextDeadline == start + .seconds(21))
    #expect(watch.start(at: start + .seconds(2)) == [.list(number: 2)])
    #expect(watch.advance(to: start + .seconds(3)) == [.list(number: 3)])
    #expect(watch.answered(3, created(1), at: start + .seconds(10)).isEmpty)
    #expect(watch.received(message(ada, 1), 3, at: start + .seconds(10)) == [.settled])
    // Not told later either.
    #expect(watch.received(control(100, ["Nats-Last-Consumer": "1"]), 3, at: start + .seconds(20)).isEmpty)
    #expect(watch.advance(to: start + .seconds(22)).isEmpty)
  }

  @Test mutating func `a silent server is asked again, and is an interruption if it says nothing`() {
    let ada = RecordTests.record("Ada")
    follow()
    _ = watch.received(message(ada, 1), 1, at: start)
    #expect(watch.advance(to: start + .seconds(5)) == [.list(number: 2)])
    // The first requests may be in the hands of a server that is dead; a server that is slow gets its time.
    for (number, second) in zip(UInt64(3)..., [6, 7, 8, 9, 10, 14, 18, 22]) {
      #expect(watch.advance(to: start + .milliseconds(second * 1_000 - 10)).isEmpty)
      #expect(watch.advance(to: start + .seconds(second)) == [.list(number: number)])
    }
    #expect(watch.advance(to: start + .seconds(26)) == [.interrupted(Claim.noAnswer), .list(number: 11)])
    #expect(watch.answered(11, created(0), at: start + .seconds(29)) == [.restored, .settled])
  }

  @Test mutating func `a directory that was never listed is an interruption at once`() {
    let lost = JetStreamFailure(code: 0, kind: 0, text: "it has not answered yet")
    #expect(watch.disconnect(lost, at: start) == [.interrupted(lost)])
    #expect(watch.start(at: start) == [.list(number: 1)])
    #expect(watch.answered(1, created(0), at: start) == [.restored, .settled])
  }
}
