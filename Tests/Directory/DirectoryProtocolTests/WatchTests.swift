import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@Suite struct WatchTests {
  let start = ContinuousClock.now
  let bucket = Bucket("b")!
  let region = Region("world")!
  var watch = Watch(Bucket("b")!, region: Region("world")!, allowsLoopback: false)
  /// 2026-11-23T00:26:50Z.
  let serverStart: Int64 = 1_795_393_610_000_000_000

  /// The answer to the request for a consumer.
  func created(_ pending: Int64) -> JetStreamAnswer {
    .done(["created": "2026-11-23T00:26:50Z", "num_pending": .integer(pending)])
  }

  func message(
    _ record: DirectoryRecord, _ sequence: UInt64, pending: UInt64 = 0, age: Int64 = 0, key: String? = nil,
    data: [UInt8]? = nil,
    isDeletion: Bool = false
  ) -> DirectoryMessage {
    DirectoryMessage(
      subject: bucket.subject(key ?? record.key(in: region).text),
      reply: "$JS.ACK.KV_b.abc.1.\(sequence + 100).\(sequence).\(serverStart - age * 1_000_000_000).\(pending)",
      headers: isDeletion ? ["KV-Operation": "DEL"] : [:], data: data ?? (isDeletion ? [] : record.bytes))
  }

  func control(_ status: Int = 100, _ headers: [String: String] = [:], reply: String = "") -> DirectoryMessage {
    DirectoryMessage(reply: reply, status: status, headers: headers)
  }

  mutating func follow() {
    _ = watch.start(at: start)
    _ = watch.answered(1, created(0), at: start)
  }

  @Test mutating func `what there is is listed, then changes are followed`() {
    let (ada, bob) = (RecordTests.record("Ada"), RecordTests.record("Bob"))
    #expect(watch.start(at: start) == [.list(number: 1)])
    #expect(watch.answered(1, created(2), at: start).isEmpty)
    #expect(watch.received(message(ada, 1, pending: 1), 1, at: start) == [.appeared(ada)])
    #expect(watch.received(message(bob, 2), 1, at: start) == [.appeared(bob), .settled])
    var changed = ada
    changed.port = 1
    #expect(watch.received(message(changed, 3), 1, at: start) == [.changed(from: ada, to: changed)])
    #expect(watch.received(message(changed, 4), 1, at: start).isEmpty)
    #expect(watch.received(message(bob, 5, isDeletion: true), 1, at: start) == [.vanished(bob)])
    #expect(watch.record(ada.key(in: region)) == changed)
  }

  @Test mutating func `an empty directory is settled at once`() {
    _ = watch.start(at: start)
    #expect(watch.answered(1, created(0), at: start) == [.settled])
  }

  @Test mutating func `a record that comes before the answer counts`() {
    let ada = RecordTests.record("Ada")
    _ = watch.start(at: start)
    #expect(watch.received(message(ada, 1, age: 50), 1, at: start) == [.appeared(ada)])
    #expect(watch.answered(1, created(0), at: start) == [.settled])
    #expect(watch.advance(to: start + .seconds(11)).first == .vanished(ada))
  }

  @Test mutating func `a record ends 60 s after it was written, without a word of the server`() {
    let (ada, bob, old) = (RecordTests.record("Ada"), RecordTests.record("Bob"), RecordTests.record("Old"))
    _ = watch.start(at: start)
    _ = watch.answered(1, created(3), at: start)
    _ = watch.received(message(ada, 1, pending: 2), 1, at: start)
    _ = watch.received(message(bob, 2, pending: 1, age: 40), 1, at: start)
    #expect(watch.received(message(old, 3, age: 61), 1, at: start) == [.settled])
    let heartbeat = control(100, ["Nats-Last-Consumer": "3"])
    for second in stride(from: 4, through: 16, by: 4) { _ = watch.received(heartbeat, 1, at: start + .seconds(second)) }
    #expect(watch.advance(to: start + .seconds(20)) == [.vanished(bob)])
    for second in stride(from: 20, through: 56, by: 4) { _ = watch.received(heartbeat, 1, at: start + .seconds(second)) }
    #expect(watch.advance(to: start + .milliseconds(59_900)).isEmpty)
    #expect(watch.advance(to: start + .seconds(60)) == [.vanished(ada)])
  }

  @Test mutating func `a record that is written again as it was is not read again, and counts for another lease`() {
    let ada = RecordTests.record("Ada")
    follow()
    _ = watch.received(message(ada, 1), 1, at: start)
    // Written 15 s after the first time.
    let later = start + .seconds(15)
    #expect(watch.received(message(ada, 2, age: -15), 1, at: later).isEmpty)
    #expect(watch.counters.renewals == 1)
    let heartbeat = control(100, ["Nats-Last-Consumer": "2"])
    for second in stride(from: 19, through: 71, by: 4) { _ = watch.received(heartbeat, 1, at: start + .seconds(second)) }
    #expect(watch.advance(to: start + .milliseconds(74_900)).isEmpty)
    #expect(watch.advance(to: start + .seconds(75)).first == .vanished(ada))
  }

  @Test mutating func `missing messages are listed again, and what was removed meanwhile vanishes`() {
    let (ada, bob) = (RecordTests.record("Ada"), RecordTests.record("Bob"))
    follow()
    _ = watch.received(message(ada, 1), 1, at: start)
    _ = watch.received(message(bob, 2), 1, at: start)
    let later = start + .seconds(2)
    #expect(watch.received(message(bob, 4), 1, at: later) == [.list(number: 2)])
    // The former consumer is ignored.
    #expect(watch.received(message(ada, 3, isDeletion: true), 1, at: later).isEmpty)
    #expect(watch.answered(2, created(2), at: later).isEmpty)
    #expect(watch.received(message(bob, 1, pending: 1), 2, at: later).isEmpty)
    #expect(watch.received(message(ada, 2, isDeletion: true), 2, at: later) == [.vanished(ada), .settled])
    #expect(watch.counters.listings == 1)
  }

  @Test mutating func `whoever makes gaps cannot make it list more than once a second`() {
    follow()
    #expect(watch.received(message(RecordTests.record("Ada"), 9), 1, at: start + .milliseconds(10)).isEmpty)
    #expect(watch.advance(to: start + .milliseconds(990)).isEmpty)
    #expect(watch.advance(to: start + .seconds(1)) == [.list(number: 2)])
  }

  @Test mutating func `a heartbeat that tells of messages that did not come is a gap`() {
    follow()
    #expect(watch.received(control(100, ["Nats-Last-Consumer": "0"]), 1, at: start + .seconds(5)).isEmpty)
    #expect(watch.received(control(100, ["Nats-Last-Consumer": "1"]), 1, at: start + .seconds(10)) == [.list(number: 2)])
  }

  // nats-server 2.9.10 counts a value that was overwritten before it was sent as waiting for ever.
  @Test mutating func `a listing is complete when as many values have come as there were, whatever is said to wait`() {
    let (ada, bob) = (RecordTests.record("Ada"), RecordTests.record("Bob"))
    _ = watch.start(at: start)
    _ = watch.answered(1, created(2), at: start)
    #expect(watch.received(message(ada, 1, pending: 1), 1, at: start) == [.appeared(ada)])
    #expect(watch.received(message(bob, 2, pending: 1), 1, at: start) == [.appeared(bob), .settled])
    #expect(watch.received(message(bob, 3, pending: 1), 1, at: start).isEmpty)
  }

  @Test mutating func `a listing is complete when the server has time for a heartbeat`() {
    let ada = RecordTests.record("Ada")
    _ = watch.start(at: start)
    let heartbeats = (0...1).map { control(100, ["Nats-Last-Consumer": "\($0)"]) }
    #expect(watch.received(heartbeats[0], 1, at: start).isEmpty)
    _ = watch.answered(1, created(2), at: start)
    #expect(watch.received(message(ada, 1, pending: 1), 1, at: start) == [.appeared(ada)])
    #expect(watch.received(control(100, ["Nats-Consumer-Stalled": "$JS.FC.2"]), 1, at: start) == [.goOn("$JS.FC.2")])
    #expect(watch.received(heartbeats[1], 1, at: start + .seconds(2)) == [.settled])
    #expect(watch.received(heartbeats[1], 1, at: start + .seconds(4)).isEmpty)
  }

  @Test mutating func `no number of waiting messages is too large`() {
    let ada = RecordTests.record("Ada")
    _ = watch.start(at: start)
    _ = watch.answered(1, created(2), at: start)
    #expect(watch.received(message(ada, 1, pending: .max), 1, at: start) == [.appeared(ada)])
  }

  @Test mutating func `delivery goes on when the server asks for it`() {
    follow()
    #expect(watch.received(control(reply: "$JS.FC.1"), 1, at: start) == [.goOn("$JS.FC.1")])
    #expect(watch.received(control(100, ["Nats-Consumer-Stalled": "$JS.FC.2"]), 1, at: start) == [.goOn("$JS.FC.2")])
  }

  @Test mutating func `false records are ignored, and take an entry's place away`() {
    let ada = RecordTests.record("Ada")
    follow()
    #expect(watch.received(message(ada, 1, key: RecordTests.record("Bob").key(in: region).text), 1, at: start).isEmpty)
    #expect(watch.received(message(ada, 2, data: [1, 2, 3]), 1, at: start).isEmpty)
    var large = message(ada, 3, data: [])
    large.isOversized = true
    #expect(watch.received(large, 1, at: start).isEmpty)
    #expect(watch.counters.flaws == [.wrongKey: 1, .notJSON: 1, .tooLarge: 1])
    #expect(watch.received(message(ada, 4), 1, at: start) == [.appeared(ada)])
    #expect(watch.received(message(ada, 5, data: [0]), 1, at: start) == [.vanished(ada)])
    // Messages of others make no sense, and are no gaps.
    var foreign = message(ada, 9)
    foreign.reply = "$JS.ACK.KV_c.abc.1.1.6.1.0"
    #expect(watch.received(foreign, 1, at: start).isEmpty)
    for reply in ["", "$JS.ACK", "$JS.ACK.KV_b.abc.1.1.-6.1.0", "$JS.ACK.KV_b.abc.1.1.99999999999999999999.1.0"] {
      foreign.reply = reply
      #expect(watch.received(foreign, 1, at: start).isEmpty)
    }
  }

  @Test mutating func `a shard that is filled with false records leaves the others alone, and keeps what it has`() {
    var limits = Watch.Limits()
    (limits.entries, limits.entriesInShard) = (100, 3)
    watch = Watch(bucket, region: region, allowsLoopback: false, limits: limits)
    follow()
    var sequence: UInt64 = 0
    let real = RecordTests.record("Real")
    let shard = real.key(in: region).shard
    sequence += 1
    #expect(watch.received(message(real, sequence), 1, at: start) == [.appeared(real)])
    var shown = 0
    for number in 0..<5_000 {
      let record = RecordTests.record(try! InstanceName("False \(number)"))
      guard record.key(in: region).shard == shard else { continue }
      sequence += 1
      shown += watch.received(message(record, sequence), 1, at: start).count
    }
    #expect(shown == 2)
    #expect(watch.counters.crowdedOut > 50)
    let other = RecordTests.record("Other")
    #expect(other.key(in: region).shard != shard)
    sequence += 1
    #expect(watch.received(message(other, sequence), 1, at: start) == [.appeared(other)])
    var renewed = real
    renewed.port = 9
    sequence += 1
    #expect(watch.received(message(renewed, sequence), 1, at: start) == [.changed(from: real, to: renewed)])
  }

  @Test mutating func `all that a listing brings to a full shard have the same chance, and what is known stays`() {
    var limits = Watch.Limits()
    limits.entriesInShard = 2
    // Names in one shard, of which the last comes first by rank, and the first last.
    let shard = RecordTests.record("Real").key(in: region).shard
    let names = (0..<2_000).map { "Room \($0)" }.filter {
      RecordTests.record(try! InstanceName($0)).key(in: region).shard == shard
    }
    let records = names.prefix(6).map { RecordTests.record(try! InstanceName($0)) }
    let ranks = [5, Int.max, 9, 1, Int.min, -7]
    let byKey = Dictionary(uniqueKeysWithValues: zip(records.map { $0.key(in: region).text }, ranks))
    watch = Watch(bucket, region: region, allowsLoopback: false, limits: limits) { byKey[$0] ?? 0 }
    _ = watch.start(at: start)
    _ = watch.answered(1, created(5), at: start)
    #expect(watch.received(message(records[0], 1, pending: 4), 1, at: start) == [.appeared(records[0])])
    #expect(watch.received(message(records[1], 2, pending: 3), 1, at: start) == [.appeared(records[1])])
    #expect(watch.received(message(records[2], 3, pending: 2), 1, at: start) == [.vanished(records[1]), .appeared(records[2])])
    #expect(watch.received(message(records[3], 4, pending: 1), 1, at: start) == [.vanished(records[2]), .appeared(records[3])])
    // One that is deleted makes room.
    let deletion = message(records[0], 5, pending: 1, isDeletion: true)
    #expect(watch.received(deletion, 1, at: start) == [.vanished(records[0]), .settled])
    #expect(watch.received(message(records[2], 6, pending: 0), 1, at: start) == [.appeared(records[2])])
    #expect(watch.counters.crowdedOut == 2)
    // From now on nobody takes the place of another, not by the next listing either.
    #expect(watch.received(message(records[4], 7), 1, at: start).isEmpty)
    #expect(watch.received(message(records[4], 9), 1, at: start + .seconds(2)) == [.list(number: 2)])
    _ = watch.answered(2, created(4), at: start + .seconds(2))
    for (sequence, record) in [(1, records[4]), (2, records[5]), (3, records[2])] {
      #expect(watch.received(message(record, UInt64(sequence), pending: 9), 2, at: start + .seconds(2)).isEmpty)
    }
    #expect(watch.received(message(records[3], 4), 2, at: start + .seconds(2)) == [.settled])
  }

  @Test func `times of the server are read, and others are not`() {
    #expect(ServerTime.read("1970-01-01T00:00:00Z") == 0)
    #expect(ServerTime.read("2026-11-23T00:26:50Z") == serverStart)
    #expect(ServerTime.read("2026-11-23T00:26:50.02606271Z") == serverStart + 26_062_710)
    #expect(ServerTime.read("2000-02-29T12:00:00.5Z") == 951_825_600_500_000_000)
    for text in [
      "", "0001-01-01T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-23T00:26:50", "2026-11-23 00:26:50Z",
      "2026-11-23T00:26:50.Z", "2026-11-23T00:26:50.1234567890Z", "9999-11-23T00:26:50Z",
    ] {
      #expect(ServerTime.read(text) == nil, "\(text)")
    }
  }

  @Test func `both forms of deliveries are read`() {
    #expect(Delivery("$JS.ACK.KV_b.c.1.30.2.99.7")?.consumerSequence == 2)
    let second = Delivery("$JS.ACK.hub.ACC.KV_b.c.1.30.2.99.7.x")
    #expect(second?.stream == "KV_b")
    #expect(second?.pending == 7)
    #expect(Delivery("$JS.ACK.a.b.c.d.e.f.g") == nil)
  }
}
