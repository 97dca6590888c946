import FramedTransport
import Testing

@testable import FramedSecurity

/// The exchange of a client that may be known, message by message, without a stream; and the guesses of those who are.
@Suite struct KnownKeyExchangeTests {
  private let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)!
  private let stranger = SocketAddress(numericHost: "192.0.2.2", port: 7)!
  private let binding = ChannelBinding(SecretBytes.random(count: 64))
  private let key = KeyFingerprint([UInt8](repeating: 7, count: 32))!

  private func client(_ passcode: Passcode) -> KnownKeyInitiator {
    KnownKeyInitiator(binding, PasscodeInitiator(passcode, PasscodeContext(binding, service: "")))
  }

  private func server(_ passcodes: PasscodeGuard, isKnown: Bool) -> KnownKeyResponder {
    let context = PasscodeContext(binding, service: "")
    return KnownKeyResponder(
      binding, isKnown: isKnown, PasscodeResponder(passcodes, peer: peer, key: key, isKnown: isKnown, context))
  }

  /// Carries messages until nothing is left to carry.
  private func run(_ client: inout KnownKeyInitiator, _ server: inout KnownKeyResponder) -> (
    client: IntroductionStep.Outcome?, server: IntroductionStep.Outcome?, kinds: [IntroductionMessage.Kind]
  ) {
    var kinds: [IntroductionMessage.Kind] = []
    var outcomes: (client: IntroductionStep.Outcome?, server: IntroductionStep.Outcome?)
    var toServer = client.begin().reply
    while let question = toServer {
      kinds.append(question.kind)
      let answer = server.handle(question)
      outcomes.server = answer.outcome
      guard let reply = answer.reply else { break }
      kinds.append(reply.kind)
      let next = client.handle(reply)
      outcomes.client = next.outcome
      toServer = next.reply
    }
    return (outcomes.client, outcomes.server, kinds)
  }

  @Test func `whoever is known is let in, and nothing of the passcode is said`() {
    let passcodes = PasscodeGuard("471123")
    var (client, server) = (client("999999"), server(passcodes, isKnown: true))
    let outcome = run(&client, &server)
    guard case .established(let code?)? = outcome.client else {
      Issue.record("no code")
      return
    }
    #expect(outcome.server == .established(code))
    #expect(outcome.kinds == [.commitment, .nonce, .opening])
    #expect(passcodes.remainingGuesses == 10)
  }

  @Test func `whoever is not known proves the passcode on the same channel, and a wrong one is a guess`() {
    let passcodes = PasscodeGuard("471123")
    var (right, server) = (client("471123"), server(passcodes, isKnown: false))
    let outcome = run(&right, &server)
    #expect(outcome.client == .established(nil) && outcome.server == .established(nil))
    #expect(outcome.kinds == [.commitment, .refusal, .share, .share, .tag, .tag])
    #expect(passcodes.remainingGuesses == 10)

    var wrong = client("999999")
    server = self.server(PasscodeGuard("471123"), isKnown: false)
    let refused = run(&wrong, &server)
    #expect(refused.client == .failed(.wrongPasscode) && refused.server == .failed(.wrongPasscode))
  }

  @Test func `a message that does not fit ends the exchange, and proves nothing`() {
    for kind in IntroductionMessage.Kind.allCases {
      let message = IntroductionMessage(kind, [UInt8](repeating: 3, count: kind.bodySize))
      for isKnown in [true, false] {
        for steps in 0...2 {
          let passcodes = PasscodeGuard("471123")
          var (client, server) = (client("471123"), server(passcodes, isKnown: isKnown))
          var toServer = client.begin().reply
          for _ in 0..<steps { toServer = toServer.flatMap { server.handle($0).reply }.flatMap { client.handle($0).reply } }
          let (isDemand, answer) = (kind == .refusal && steps == 0, client.handle(message))
          #expect(answer.outcome != .established(nil), "\(kind), \(isKnown), \(steps)")
          // The listener's part of the code, and its share, may have any value.
          let mayFit = isDemand || kind == .nonce && steps == 0 || kind == .share && !isKnown && steps > 0
          #expect(mayFit || answer.outcome != nil, "\(kind), \(isKnown), \(steps)")
          if isDemand { #expect(answer.reply?.kind == .share) }
          let outcome = server.handle(message).outcome
          #expect(outcome != .established(nil), "\(kind), \(isKnown), \(steps)")
        }
      }
    }
    // A second demand, after the share.
    var client = client("471123")
    _ = client.begin()
    #expect(client.handle(IntroductionMessage(.required)).reply?.kind == .share)
    #expect(client.handle(IntroductionMessage(.required)).outcome == .failed(.unexpected))
    // A share without a commitment before it.
    let passcodes = PasscodeGuard("471123")
    var server = server(passcodes, isKnown: false)
    var initiator = PasscodeInitiator("471123", PasscodeContext(binding, service: ""))
    #expect(server.handle(initiator.begin().reply!).outcome == .failed(.unexpected))
  }

  /// What each version says in the handshake. Programs of other versions depend on it.
  @Test func `the protocols that are offered and taken are known`() {
    func names(_ role: TLSContext.Role, _ proof: TLSLayer.Proof) -> [String] { proof.protocolNames(of: role) }
    let passcodes = PasscodeGuard("471123")
    let (first, open, either) = ("bonjourish-passcode/1", "bonjourish/1", "bonjourish-known/1")
    #expect(names(.client, .none) == [] && names(.server, .none) == [])
    #expect(names(.client, .comparison) == [open, first])
    #expect(names(.server, .comparison) == [open])
    #expect(names(.client, .passcode("1", service: "")) == [first])
    // A listener that does not know the new one takes the passcode.
    #expect(names(.client, .keyOrPasscode("1", service: "")) == [either, first])
    #expect(names(.server, .guarded(passcodes, service: "", admits: .nobody)) == [first])
    #expect(names(.server, .guarded(passcodes, service: "", admits: .everybody)) == [first, open])
    let known = KnownKeys.known(PinStore())
    #expect(Set(names(.server, .guarded(passcodes, service: "", admits: .known(known)))) == [first, open, either])
  }

  // MARK: - The guesses of others

  @Test func `whoever is known has guesses of their own, whatever others have tried`() throws {
    let passcodes = PasscodeGuard("471123", limit: 2)
    for _ in 0..<2 {
      let challenge = try #require(passcodes.challenge(stranger))
      #expect(passcodes.judge(challenge, from: stranger) { false } == .wrong)
    }
    #expect(passcodes.isPaused && passcodes.challenge(peer, key: key) == nil)
    let challenge = try #require(passcodes.challenge(peer, key: key, isKnown: true))
    #expect(passcodes.judge(challenge, from: peer) { true } == .right)
    // Nobody else at the address, and nobody without a key.
    let third = try #require(SocketAddress(numericHost: "192.0.2.3", port: 7))
    #expect(passcodes.challenge(third, isKnown: true) == nil && passcodes.challenge(third) == nil)
  }

  @Test func `wrong guesses of whoever is known are charged with a wait, and count for nobody else`() throws {
    var budget = GuessBudget(limit: 1, regain: nil)
    let (start, guesser) = (ContinuousClock.now, Guesser(peer, key: key))
    #expect(budget.begin(Guesser(stranger), round: 0, at: start) != nil)
    budget.admit(key)
    #expect(budget.begin(guesser, round: 0, at: start) != nil)
    // Its coming back forgives nothing.
    budget.admit(key)
    #expect(budget.begin(guesser, round: 0, at: start + .milliseconds(999)) == nil)
    #expect(budget.begin(guesser, round: 0, at: start + .seconds(1)) != nil)
    #expect(budget.begin(guesser, round: 0, at: start + .seconds(2)) == nil)
    #expect(budget.remaining(at: start) == 0)
  }
}
