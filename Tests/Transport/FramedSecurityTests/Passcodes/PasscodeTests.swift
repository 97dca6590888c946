import FramedTransport
import Testing
import _BonjourishEventLoop

@testable import FramedSecurity

@Suite struct PasscodeTests {
  @Test func `spaces and hyphens between digits do not count`() {
    #expect(Passcode(text: "471 123") == Passcode(text: "471123"))
    #expect(Passcode(text: " 471-123 ") == "471123")
    #expect(Passcode(text: "red apple") != Passcode(text: "redapple"))
    #expect(Passcode(text: "471123")?.text == "471123")
  }

  @Test func `the same text is the same passcode, however a keyboard composes it`() {
    for (one, other) in [("caf\u{E9}", "cafe\u{301}"), ("\u{C5}se", "\u{212B}se"), ("\u{AC00}", "\u{1100}\u{1161}")] {
      #expect(Array(one.utf8) != Array(other.utf8))
      #expect(Passcode(text: one) == Passcode(text: other))
      #expect(Passcode(text: other)?.secret.exposed == Array(one.utf8))
    }
    // Marks in another order, which are drawn alike.
    #expect(Passcode(text: "q\u{307}\u{323}") == Passcode(text: "q\u{323}\u{307}"))
    for (one, other) in [("cafe", "caf\u{E9}"), ("Caf\u{E9}", "caf\u{E9}"), ("\u{FB01}x", "fix"), ("４７１", "471")] {
      #expect(Passcode(text: one) != Passcode(text: other))
    }
    #expect(Passcode(text: String(repeating: "e\u{301}", count: 128))?.secret.count == 256)
    #expect(Passcode(text: String(repeating: "e\u{301}", count: 129)) == nil)
  }

  @Test func `an empty or too long text is no passcode`() {
    #expect(Passcode(text: "") == nil)
    #expect(Passcode(text: " - ") == nil)
    #expect(Passcode(text: String(repeating: "é", count: 128)) != nil)
    #expect(Passcode(text: String(repeating: "é", count: 129)) == nil)
    // Letters of Hangul take up to three times as many bytes before they are composed.
    #expect(Passcode(text: String(repeating: "\u{1100}\u{1161}\u{11A8}", count: 85) + "a")?.secret.count == 256)
    #expect(Passcode(text: "1" + String(repeating: " ", count: 767)) == "1")
    #expect(Passcode(text: "1" + String(repeating: " ", count: 768)) == nil)
  }

  @Test func `a random passcode has its digits, and another is another`() {
    let passcodes = (0..<200).map { _ in Passcode.random() }
    #expect(passcodes.allSatisfy { $0.text.count == 6 && $0.text.allSatisfy(\.isNumber) })
    // A digit that is never drawn in 1,200 has a chance of 10^-54.
    #expect(Set(passcodes.joined(\.text)).count == 10)
    #expect(Passcode.random(digits: 20) != Passcode.random(digits: 20))
  }

  @Test func `what is printed of a secret is not the secret`() {
    let token = AccessToken.random()
    #expect(!"\(Passcode(text: "471123")!)".contains("471123"))
    #expect(!String(reflecting: Passcode(text: "471123")!).contains("471123"))
    var dumped = ""
    dump([Passcode(text: "471123")!], to: &dumped)
    dump(PasscodeGuard("471123"), to: &dumped)
    dump(token, to: &dumped)
    #expect(!dumped.contains("471123") && !dumped.contains(token.text) && !"\(token)".contains(token.text))
  }

  @Test func `a token is read as it was written`() {
    let token = AccessToken.random()
    #expect(token.text.count == 26)
    #expect(AccessToken(token.text) == token)
    #expect(AccessToken(token.text.uppercased()) == token)
    #expect(AccessToken.random() != token)
    #expect(token.passcode == AccessToken(token.text)?.passcode)
    #expect(AccessToken(String(token.text.dropLast())) == nil)
    #expect(AccessToken(token.text + "a") == nil)
    #expect(AccessToken("1" + token.text.dropFirst()) == nil)
  }
}

extension Sequence {
  fileprivate func joined(_ text: (Element) -> String) -> String { map(text).joined() }
}

@Suite struct GuessBudgetTests {
  private let start = ContinuousClock.now
  private let stranger = Guesser(SocketAddress(numericHost: "192.0.2.1", port: 7)!)

  @Test func `wrong guesses are counted when they begin, and right ones are given back`() throws {
    var budget = GuessBudget(limit: 3, regain: nil)
    let permit = budget.begin(stranger, round: 0, at: start)
    let first = try #require(permit)
    #expect(budget.remaining(at: start) == 2)
    budget.succeed(first, of: stranger)
    #expect(budget.remaining(at: start) == 3)
    let other = Guesser(SocketAddress(numericHost: "192.0.2.2", port: 7)!)
    for left in [2, 1, 0] {
      #expect(budget.begin(other, round: 0, at: start) != nil)
      #expect(budget.remaining(at: start) == left)
    }
    #expect(budget.begin(other, round: 0, at: start) == nil)
    #expect(budget.begin(other, round: 0, at: start + .seconds(1_000_000)) == nil)
  }

  @Test func `guesses at the same time cannot exceed the limit together`() {
    var budget = GuessBudget(limit: 10, regain: nil)
    let permits = (0..<100).compactMap { _ in budget.begin(stranger, round: 0, at: start) }
    #expect(permits.count == 10)
    // One was right; there is room for one more.
    let other = Guesser(SocketAddress(numericHost: "192.0.2.2", port: 7)!)
    budget.succeed(permits[4], of: stranger)
    #expect((0..<100).compactMap { _ in budget.begin(other, round: 0, at: start) }.count == 1)
  }

  @Test func `a guess of an earlier round is not evaluated, and gives nothing back`() throws {
    var budget = GuessBudget(limit: 2, regain: nil)
    let permit = budget.begin(stranger, round: 0, at: start)
    let old = try #require(permit)
    budget.restart(isNew: true)
    #expect(budget.begin(stranger, round: 0, at: start) == nil)
    #expect(budget.begin(stranger, round: 1, at: start) != nil)
    budget.succeed(old, of: stranger)
    #expect(budget.remaining(at: start) == 1)
  }

  @Test func `one wrong guess is forgiven after each interval`() {
    var budget = GuessBudget(limit: 2, regain: .seconds(60))
    #expect(budget.begin(stranger, round: 0, at: start) != nil)
    #expect(budget.begin(stranger, round: 0, at: start + .seconds(50)) != nil)
    #expect(budget.begin(stranger, round: 0, at: start + .seconds(59)) == nil)
    #expect(budget.remaining(at: start + .seconds(60)) == 1)
    #expect(budget.remaining(at: start + .seconds(119)) == 1)
    #expect(budget.remaining(at: start + .seconds(120)) == 2)
    // Time in which nothing was spent earns nothing.
    #expect(budget.remaining(at: start + .seconds(100_000)) == 2)
    #expect(budget.begin(stranger, round: 0, at: start + .seconds(100_000)) != nil)
    #expect(budget.remaining(at: start + .seconds(100_059)) == 1)
  }

  @Test func `the interval begins with a guess that is not given back`() throws {
    var budget = GuessBudget(limit: 2, regain: .seconds(60))
    let permit = budget.begin(stranger, round: 0, at: start)
    budget.succeed(try #require(permit), of: stranger)
    let other = Guesser(SocketAddress(numericHost: "192.0.2.2", port: 7)!)
    #expect(budget.begin(other, round: 0, at: start + .seconds(50)) != nil)
    #expect(budget.remaining(at: start + .seconds(109)) == 1)
    #expect(budget.remaining(at: start + .seconds(110)) == 2)
  }
}

@Suite struct PasscodeGuardTests {
  private let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)!

  @Test func `after the limit no guess is evaluated until the guard is reopened`() throws {
    let told = Locked<[Int]>([])
    let refusals = Locked(0)
    let start = ContinuousClock.now
    let passcodes = PasscodeGuard("471123", limit: 3, limitPerAddress: 3, regain: nil, now: { start }) { event in
      switch event {
      case .wrongGuess(_, let remaining): told.withLock { $0.append(remaining) }
      case .refused: refusals.withLock { $0 += 1 }
      }
    }
    let challenge = try #require(passcodes.challenge(peer))
    var evaluated = 0
    for _ in 0..<20 {
      _ = passcodes.judge(challenge, from: peer) {
        evaluated += 1
        return false
      }
    }
    #expect(evaluated == 3)
    #expect(told.withLock { $0 } == [2, 1, 0])
    #expect(refusals.withLock { $0 } == 1)
    #expect(passcodes.isPaused && passcodes.challenge(peer) == nil)
    // Even the right one.
    #expect(passcodes.judge(challenge, from: peer) { true } == .paused)

    passcodes.reopen(with: "999999")
    #expect(passcodes.remainingGuesses == 3 && passcodes.passcode == "999999")
    // An attempt from before the new passcode.
    #expect(passcodes.judge(challenge, from: peer) { true } == .paused)
    #expect(passcodes.remainingGuesses == 3)
    let next = try #require(passcodes.challenge(peer))
    #expect(passcodes.judge(next, from: peer) { true } == .right)
    #expect(passcodes.remainingGuesses == 3)
  }

  @Test func `by default an address may guess wrongly three times, and all of them ten times`() throws {
    for passcodes in [
      PasscodeGuard("471123"), PasscodeGuard("471123", limit: 10, regain: nil, now: { .now }, events: { _ in }),
    ] {
      let counts = try (1...5).map { number in
        let peer = try #require(SocketAddress(numericHost: "192.0.2.\(number)", port: 7))
        return (0..<20).prefix { _ in
          passcodes.challenge(peer).map { passcodes.judge($0, from: peer) { false } } == .wrong
        }.count
      }
      #expect(counts == [3, 3, 3, 1, 0])
    }
  }

  @Test func `a flood of refusals is told once a second, with their number`() throws {
    let now = Locked(ContinuousClock.now)
    let told = Locked<[Int]>([])
    let passcodes = PasscodeGuard("471123", limit: 1, regain: nil, now: { now.withLock { $0 } }) { event in
      if case .refused(_, let count) = event { told.withLock { $0.append(count) } }
    }
    let challenge = try #require(passcodes.challenge(peer))
    #expect(passcodes.judge(challenge, from: peer) { false } == .wrong)
    for _ in 0..<10 {
      for _ in 0..<500 {
        #expect(passcodes.challenge(peer) == nil)
        #expect(passcodes.judge(challenge, from: peer) { true } == .paused)
      }
      now.withLock { $0 += .milliseconds(500) }
    }
    // At 0, 1, 2, 3 and 4 s, and once more after the flood.
    now.withLock { $0 += .seconds(1) }
    #expect(passcodes.challenge(peer) == nil)
    #expect(told.withLock { $0 } == [1, 2_000, 2_000, 2_000, 2_000, 2_000])
  }

  @Test func `a guess is counted before it is evaluated`() throws {
    let passcodes = PasscodeGuard("471123", limit: 1)
    let challenge = try #require(passcodes.challenge(peer))
    let judgement = passcodes.judge(challenge, from: peer) {
      // Another one at the same time.
      #expect(passcodes.judge(challenge, from: peer) { true } == .paused)
      return true
    }
    #expect(judgement == .right)
  }

  @Test func `guesses from many threads are evaluated ten times at most`() async throws {
    let passcodes = PasscodeGuard("471123", limit: 10, limitPerAddress: 10)
    let challenge = try #require(passcodes.challenge(peer))
    let judgements = await withTaskGroup { group in
      for _ in 0..<100 { group.addTask { passcodes.judge(challenge, from: peer) { false } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(judgements.count { $0 == .wrong } == 10 && judgements.count { $0 == .paused } == 90)
  }

  @Test func `time comes from outside`() throws {
    let now = Locked(ContinuousClock.now)
    let passcodes = PasscodeGuard("471123", limit: 1, regain: .seconds(600), now: { now.withLock { $0 } }, events: { _ in })
    let challenge = try #require(passcodes.challenge(peer))
    #expect(passcodes.judge(challenge, from: peer) { false } == .wrong)
    #expect(passcodes.isPaused)
    now.withLock { $0 += .seconds(600) }
    #expect(!passcodes.isPaused)
  }
}
