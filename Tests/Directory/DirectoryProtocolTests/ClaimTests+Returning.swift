import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// A publisher that comes back.
extension ClaimTests {
  private static let program = RelayNumber(high: 1, low: 2)
  /// A run of the publisher of which `returning` is another run.
  private static let former: UInt64 = 0xABC_0000_0001

  /// A claim of a publisher that keeps an identity, which finds the record of another run.
  private mutating func returning(_ program: RelayNumber?) -> [Claim.Effect] {
    claim = Claim([1], Succession(identity: 0xABC), lease: .standard, seed: 1)
    _ = claim.start(at: start)
    _ = claim.answered(1, Self.wrong, at: start)
    return claim.found(2, .record(owner: Self.former, program: program, revision: 9), at: start)
  }

  @Test mutating func `who comes back asks a former run three times whether it is there, and replaces its record`() {
    #expect(returning(Self.program) == [.ask(number: 3, Self.program)])
    var now = start
    for number in stride(from: 3 as UInt64, to: 7, by: 2) {
      #expect(claim.heard(number, .gone, at: now).isEmpty)
      now = claim.nextDeadline!
      #expect(claim.advance(to: now) == [.read(number: number + 1)])
      let record = Claim.Reading.record(owner: Self.former, program: Self.program, revision: 9)
      #expect(claim.found(number + 1, record, at: now) == [.ask(number: number + 2, Self.program)])
    }
    #expect(claim.heard(7, .gone, at: now) == [.put(number: 8, [1], expected: 9)])
    #expect(now - start == .milliseconds(500))
    #expect(claim.answered(8, .stored(10), at: now) == [.held(revision: 10)])
    // A twin that was cut off meanwhile has taken it again, which honest ones do not.
    _ = claim.advance(to: now + .seconds(20))
    _ = claim.answered(9, Self.wrong, at: now + .seconds(20))
    #expect(claim.found(10, .record(owner: Self.former, revision: 12), at: now) == [.taken])
  }

  @Test mutating func `the name of a second program with the same identity is taken as soon as it answers`() {
    #expect(returning(Self.program) == [.ask(number: 3, Self.program)])
    #expect(claim.isAsking)
    #expect(claim.heard(2, .here, at: start).isEmpty)
    #expect(claim.heard(3, .here, at: start) == [.taken])
    #expect(!claim.isAsking)
    #expect(claim.heard(3, .gone, at: start).isEmpty)
  }

  /// The number of the read that effects ask for.
  private static func reading(_ effects: [Claim.Effect]) throws -> UInt64 {
    guard case .read(let number)? = effects.first else { throw NoRead() }
    return number
  }

  private struct NoRead: Error {}

  /// Reads the record of a former run, which stays as it is, until it is replaced.
  ///
  /// - Returns: How long that took, and the number of the write.
  private mutating func waitForReplacement(_ program: RelayNumber?) -> (Duration, number: UInt64) {
    while let now = claim.nextDeadline, now < start + .seconds(600), case .read(let number)? = claim.advance(to: now).first {
      let effects = claim.found(number, .record(owner: Self.former, program: program, revision: 9), at: now)
      // It is not asked again.
      if effects == [.put(number: number + 1, [1], expected: 9)] { return (now - start, number + 1) }
      #expect(effects.isEmpty)
    }
    return (.zero, 0)
  }

  @Test(arguments: [nil, program]) mutating func `a record of a former run that says nothing is replaced when it is late`(
    program: RelayNumber?
  ) {
    #expect(returning(program) == (program.map { [.ask(number: 3, $0)] } ?? []))
    let (time, number) = waitForReplacement(program)
    #expect(time == RecordLease.standard.renewal + Claim.timeout)
    #expect(number == (program == nil ? 8 : 9))
  }

  @Test(arguments: [nil, program]) mutating func `a record of a former run that is written again is taken`(
    program: RelayNumber?
  ) throws {
    _ = returning(program)
    let now = claim.nextDeadline!
    let number = try Self.reading(claim.advance(to: now))
    #expect(claim.found(number, .record(owner: Self.former, program: program, revision: 11), at: now) == [.taken])
  }

  @Test mutating func `a former run that writes while it is replaced has the name`() throws {
    _ = returning(nil)
    let (time, write) = waitForReplacement(nil)
    let now = start + time
    let number = try Self.reading(claim.answered(write, Self.wrong, at: now))
    #expect(claim.found(number, .record(owner: Self.former, revision: 10), at: now) == [.taken])
  }

  @Test mutating func `a name that was given up while a former run is asked stays as it is`() {
    _ = returning(Self.program)
    #expect(claim.leave() == [.ended])
    #expect(claim.heard(3, .gone, at: start).isEmpty)
  }

  @Test func `runs of one publisher differ, and no other publisher is one of them`() {
    let (one, other) = (Succession(identity: 0xABC), Succession(identity: 0xABC, after: 4))
    #expect(one.publisher != other.publisher)
    #expect(one.isRun(other.publisher) && one.isRun(one.publisher))
    #expect(!one.isRun(Succession(identity: 0xABD).publisher))
    #expect(!Succession(publisher: 7).isRun(8))
    #expect(other.predecessor == 4)
  }
}
