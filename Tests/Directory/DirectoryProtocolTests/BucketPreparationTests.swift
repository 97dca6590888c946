import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol

private let start = ContinuousClock.now
private func time(_ milliseconds: Int) -> ContinuousClock.Instant { start + .milliseconds(milliseconds) }

/// A bucket that is looked at, and made if there is none.
@Suite struct BucketPreparationTests {
  private typealias Effect = BucketPreparation.Effect
  private static let bucket = Bucket("b")!
  private static let config: JSONValue = ["allow_direct": true, "max_consumers": 10]
  private static let found = JetStreamAnswer.done(["config": config])
  private static let none = refusal(404, 10_059)
  private static let electing = refusal(503, 10_008)
  private static let overlap = refusal(400, 10_065)

  private var machine = BucketPreparation(bucket)

  private static func failure(_ code: Int, _ kind: Int) -> JetStreamFailure {
    JetStreamFailure(code: code, kind: kind, text: "failure \(kind)")
  }

  private static func refusal(_ code: Int, _ kind: Int) -> JetStreamAnswer { .refused(failure(code, kind)) }

  private mutating func answered(_ number: UInt64, _ answer: JetStreamAnswer, at milliseconds: Int = 1) -> [Effect] {
    machine.answered(number, answer, at: time(milliseconds))
  }

  /// Lets time pass until a deadline, which must be that time.
  private mutating func advance(to milliseconds: Int) -> [Effect] {
    #expect(machine.nextDeadline == time(milliseconds))
    #expect(machine.advance(to: time(milliseconds - 1)).isEmpty)
    return machine.advance(to: time(milliseconds))
  }

  /// Begins to make a bucket, with request 2.
  private mutating func create() {
    #expect(machine.connected(at: start) == [.look(number: 1)])
    #expect(answered(1, Self.none) == [.create(number: 2, limitsWatches: true)])
  }

  // MARK: - What is there

  @Test mutating func `a bucket that is there can be used, and its settings are told`() {
    #expect(machine.connected(at: start) == [.look(number: 1)])
    #expect(answered(1, Self.found) == [.ready(Self.config)])
    #expect(machine.nextDeadline == nil)
  }

  @Test(arguments: [.done(["config": ["allow_direct": false]]), .done([:])] as [JetStreamAnswer])
  mutating func `a bucket without direct reads is told with what to do`(_ answer: JetStreamAnswer) {
    _ = machine.connected(at: start)
    guard case .failed(let failure)? = answered(1, answer).first else { return _ = Issue.record("nothing is told") }
    #expect(failure.isFinal && failure.text.contains("set allow_direct of its stream"))
    #expect(advance(to: 5_001) == [.look(number: 2)])
  }

  @Test mutating func `whoever may not ask assumes that there is a bucket`() {
    _ = machine.connected(at: start)
    #expect(answered(1, Self.refusal(JetStreamFailure.notPermitted, 0)) == [.ready(nil)])
  }

  @Test mutating func `after three seconds without an answer a bucket is assumed, and one that is told late is no news`() {
    _ = machine.connected(at: start)
    #expect(advance(to: 3_000) == [.ready(nil)])
    #expect(machine.nextDeadline == nil)
    #expect(answered(1, Self.found, at: 4_000).isEmpty)
    #expect(answered(1, Self.none, at: 4_001).isEmpty)
  }

  @Test mutating func `a bucket that was assumed is made when it is told late that there is none`() {
    _ = machine.connected(at: start)
    #expect(advance(to: 3_000) == [.ready(nil)])
    #expect(answered(1, Self.none, at: 4_000) == [.create(number: 2, limitsWatches: true)])
    #expect(answered(2, .done([:]), at: 4_100).isEmpty)
  }

  // MARK: - What is made

  @Test mutating func `a bucket is made if there is none, and three seconds are enough for both`() {
    create()
    #expect(machine.nextDeadline == time(3_000))
    #expect(answered(2, .done([:]), at: 20) == [.ready(nil)])
    machine = BucketPreparation(Self.bucket)
    create()
    #expect(advance(to: 3_000) == [.ready(nil)])
  }

  @Test mutating func `who makes no buckets tells that there is none`() {
    var policy = BucketPreparation.Policy()
    policy.createsBucket = false
    machine = BucketPreparation(Self.bucket, policy)
    _ = machine.connected(at: start)
    #expect(answered(1, Self.none) == [.failed(Self.failure(404, 10_059))])
    #expect(machine.raiseLimitOfWatches(at: time(2)).isEmpty)
  }

  @Test mutating func `an account that allows fewer watches gets a bucket without a limit of its own`() {
    create()
    let limit = Self.refusal(400, JetStreamFailure.limitOfWatches)
    #expect(answered(2, limit) == [.create(number: 3, limitsWatches: false)])
    // Once.
    #expect(answered(3, limit) == [.failed(Self.failure(400, JetStreamFailure.limitOfWatches))])
  }

  @Test mutating func `a bucket that another makes with other settings is used`() {
    create()
    #expect(answered(2, Self.refusal(400, 10_058)) == [.ready(nil)])
  }

  @Test mutating func `another who makes the bucket is waited for, five times`() {
    var (number, now) = (1 as UInt64, 0)
    #expect(machine.connected(at: start) == [.look(number: 1)])
    for _ in 0..<5 {
      #expect(answered(number, Self.none, at: now) == [.create(number: number + 1, limitsWatches: true)])
      #expect(answered(number + 1, Self.overlap, at: now).isEmpty)
      (number, now) = (number + 2, now + 200)
      #expect(advance(to: now) == [.look(number: number)])
    }
    _ = answered(number, Self.none, at: now)
    #expect(answered(number + 1, Self.overlap, at: now) == [.failed(Self.failure(400, 10_065))])
    // It counts anew when there was a bucket.
    #expect(advance(to: now + 5_000) == [.look(number: number + 2)])
    #expect(answered(number + 2, Self.found, at: now) == [.ready(Self.config)])
    #expect(machine.connected(at: time(now)) == [.look(number: number + 3)])
    _ = answered(number + 3, Self.none, at: now)
    #expect(answered(number + 4, Self.overlap, at: now).isEmpty)
  }

  @Test(arguments: [(JetStreamFailure.notPermitted, 0, "have its operator make it"), (500, 10_047, "make it smaller")])
  mutating func `a bucket that cannot be made is told with what to do`(code: Int, kind: Int, remedy: String) {
    create()
    guard case .failed(let failure)? = answered(2, Self.refusal(code, kind)).first else {
      return _ = Issue.record("nothing is told")
    }
    #expect(failure.text.contains(remedy) && failure.code == code && failure.kind == kind)
  }

  // MARK: - Trying again

  @Test mutating func `the time of a try that was refused does not end the next one`() {
    _ = machine.connected(at: start)
    #expect(answered(1, Self.electing, at: 2_900) == [.failed(Self.failure(503, 10_008))])
    // The first try would have been over at 3 s, the second begins at 7.9 s.
    #expect(advance(to: 7_900) == [.look(number: 2)])
    #expect(machine.nextDeadline == time(10_900))
    #expect(answered(1, Self.found, at: 8_000).isEmpty)
    #expect(answered(2, Self.found, at: 8_001) == [.ready(Self.config)])
    #expect(machine.nextDeadline == nil)
  }

  @Test mutating func `a lost connection ends all waiting, and an answer to what was asked before is ignored`() {
    _ = machine.connected(at: start)
    _ = answered(1, Self.electing)
    machine.disconnected()
    #expect(machine.nextDeadline == nil)
    #expect(machine.advance(to: time(60_000)).isEmpty)
    #expect(machine.missing(at: time(60_000)).isEmpty)
    #expect(machine.connected(at: time(60_000)) == [.look(number: 2)])
    machine.disconnected()
    #expect(machine.connected(at: time(61_000)) == [.look(number: 3)])
    #expect(answered(2, Self.none, at: 61_001).isEmpty)
    #expect(machine.nextDeadline == time(64_000))
  }

  @Test mutating func `a bucket for which nobody answers is looked at once, a second later`() {
    _ = machine.connected(at: start)
    #expect(machine.missing(at: time(1)).isEmpty && machine.nextDeadline == time(3_000))
    _ = answered(1, Self.found)
    #expect(machine.missing(at: time(100)).isEmpty)
    // Others who miss it do not put it off.
    #expect(machine.missing(at: time(900)).isEmpty)
    #expect(advance(to: 1_100) == [.look(number: 2)])
    #expect(answered(2, Self.none, at: 1_101) == [.create(number: 3, limitsWatches: true)])
    #expect(answered(3, .done([:]), at: 1_102) == [.ready(nil)])
  }

  @Test mutating func `owners go on at once after a connection, and look at once at what is missing`() {
    machine = BucketPreparation(Self.bucket, .ofValues)
    #expect(machine.connected(at: start) == [.look(number: 1)])
    #expect(answered(1, Self.electing) == [.failed(Self.failure(503, 10_008))])
    #expect(advance(to: 2_001) == [.look(number: 2)])
    #expect(answered(2, Self.found, at: 2_002) == [.ready(Self.config)])
    machine.disconnected()
    #expect(machine.connected(at: time(9_000)) == [.ready(nil)])
    #expect(machine.missing(at: time(9_001)) == [.look(number: 3)])
    #expect(machine.missing(at: time(9_002)).isEmpty)
    #expect(answered(3, Self.found, at: 9_003) == [.ready(Self.config)])
  }

  // MARK: - Watches

  @Test mutating func `an old bucket gets a limit for watches, at most once in ten seconds`() {
    #expect(machine.raiseLimitOfWatches(at: start).isEmpty)
    _ = machine.connected(at: start)
    _ = answered(1, Self.found)
    #expect(machine.raiseLimitOfWatches(at: time(10)) == [.look(number: 2)])
    #expect(machine.raiseLimitOfWatches(at: time(10_009)).isEmpty)
    let old: JSONValue = ["allow_direct": true, "max_consumers": -1]
    let request = Self.bucket.withLimitOfWatches(old)!
    #expect(answered(2, .done(["config": old])) == [.update(number: 3, request)])
    #expect(answered(3, Self.refusal(500, 10_052)) == [.notRaised(Self.failure(500, 10_052))])
    #expect(answered(3, Self.refusal(500, 10_052)).isEmpty)
    // One that has a limit is left as it is.
    #expect(machine.raiseLimitOfWatches(at: time(10_010)) == [.look(number: 4)])
    #expect(answered(4, Self.found).isEmpty)
    #expect(machine.nextDeadline == nil)
  }
}
