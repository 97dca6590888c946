import FramedTransport
import Testing

@testable import FramedSecurity

/// The exchanges between handshake and frames, message by message, without a stream.
@Suite struct IntroductionTests {
  private let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)!
  private let binding = ChannelBinding(SecretBytes.random(count: 64))

  private func initiator(_ passcode: Passcode, _ binding: ChannelBinding? = nil, service: String = "") -> PasscodeInitiator {
    PasscodeInitiator(passcode, PasscodeContext(binding ?? self.binding, service: service))
  }

  private func responder(_ passcodes: PasscodeGuard, _ binding: ChannelBinding? = nil, service: String = "")
    -> PasscodeResponder
  {
    PasscodeResponder(passcodes, peer: peer, PasscodeContext(binding ?? self.binding, service: service))
  }

  /// Carries messages between two sides until both have an outcome, or nothing is left to carry.
  private func run(_ client: inout some Introduction, _ server: inout some Introduction) -> (
    client: IntroductionStep.Outcome?, server: IntroductionStep.Outcome?, messages: [IntroductionMessage]
  ) {
    var messages: [IntroductionMessage] = []
    var (clientOutcome, serverOutcome): (IntroductionStep.Outcome?, IntroductionStep.Outcome?)
    var toServer = client.begin().reply
    while let question = toServer {
      messages.append(question)
      toServer = nil
      let answer = server.handle(question)
      serverOutcome = answer.outcome
      guard let reply = answer.reply else { break }
      messages.append(reply)
      let next = client.handle(reply)
      clientOutcome = next.outcome
      toServer = next.reply
    }
    return (clientOutcome, serverOutcome, messages)
  }

  @Test func `who knows the passcode is let in, and so is the listener`() {
    let passcodes = PasscodeGuard("471123")
    var (client, server) = (initiator("471 123"), responder(passcodes))
    let outcome = run(&client, &server)
    #expect(outcome.client == .established(nil) && outcome.server == .established(nil))
    #expect(outcome.messages.map(\.kind) == [.share, .share, .tag, .tag])
    #expect(passcodes.remainingGuesses == 10)
  }

  /// Programs of all versions must say the same. Computed with Python's hmac and hashlib and with libsodium's ristretto255: shares
  /// and tags of the draft's CPace in the channel, roles and service of this package, with the draft's scalars.
  @Test func `the messages of a run with known numbers are known`() {
    func context(_ scalar: String) -> PasscodeContext {
      let arithmetic = PasscodeArithmetic(
        generator: PasscodeArithmetic.cpace.generator, randomScalar: { SecretBytes(hex: scalar) },
        product: PasscodeArithmetic.cpace.product)
      let binding = ChannelBinding(SecretBytes(Array(0..<64)))
      return PasscodeContext(binding, service: "_game._tcp", arithmetic: arithmetic)
    }
    var client = PasscodeInitiator(
      "471123", context("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08"))
    var server = PasscodeResponder(
      PasscodeGuard("471123"), peer: peer, context("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d"))
    let outcome = run(&client, &server)
    #expect(outcome.client == .established(nil) && outcome.server == .established(nil))
    #expect(
      outcome.messages.map(\.encoded) == [
        hex("0120 708a43d5c3f37bc6f9643c6008f5e2ed5665690aa9a80eba4c00d69012ecf30b"),
        hex("0120 38c3b258173bb381dcdedc835b86eabc9fea56a3eff9ad0c8bbeef6653ce6117"),
        hex(
          """
          0240 9165d0cfffb8b4f5b61f76ac76e069d1537105cb35d3786412253195903bd6a9
          fdb16341e7bfca1803096992ee1606cc2f34fd0ca95a7b60fa3abd859b4784a6
          """),
        hex(
          """
          0240 63965b0339e6b0298aeccfdfce1aa48172fee3ef38d014916b3f77ed5daaa54f
          5d8a3692b968386c327dac5a829b889e8b0e126386429d13b241082f7420f6fd
          """),
      ])
  }

  /// croc gave the beginning of a code to the relay as the name of a room.
  @Test(arguments: ["471123", "correct horse battery", "471124"])
  func `what is said holds no part of a passcode nor of its hashes (CVE-2023-43616)`(guess: String) throws {
    let code = "correct horse battery"
    let passcodes = [code, "471123"].map { Passcode(text: $0)! }
    var said: [UInt8] = []
    for passcode in passcodes {
      var (client, server) = (initiator(Passcode(text: guess)!), responder(PasscodeGuard(passcode)))
      said += run(&client, &server).messages.flatMap(\.encoded)
    }
    #expect(said.count > 200)
    for passcode in passcodes {
      let secret = passcode.secret.exposed
      let hash = KeyFingerprint(ofKey: secret).bytes
      // Four bytes in a row do not come by chance.
      for parts in [secret, hash, Array(Base32.encode(hash).utf8)] {
        for start in 0...(parts.count - 4) { #expect(said.firstRange(of: parts[start..<(start + 4)]) == nil) }
      }
    }
  }

  @Test func `a wrong passcode is counted and refused`() {
    let passcodes = PasscodeGuard("471123")
    var (client, server) = (initiator("471124"), responder(passcodes))
    let outcome = run(&client, &server)
    #expect(outcome.client == .failed(.wrongPasscode) && outcome.server == .failed(.wrongPasscode))
    #expect(outcome.messages.last == IntroductionMessage(.wrong))
    #expect(passcodes.remainingGuesses == 9)
  }

  @Test func `the right passcode over another channel or for another service is refused`() {
    let other = ChannelBinding(SecretBytes.random(count: 64))
    let passcodes = PasscodeGuard("471123")
    var (client, server) = (initiator("471123"), responder(passcodes, other))
    #expect(run(&client, &server).client == .failed(.wrongPasscode))
    client = initiator("471123", service: "_chat._tcp")
    server = responder(passcodes, service: "_game._tcp")
    #expect(run(&client, &server).client == .failed(.wrongPasscode))
    client = initiator("471123", service: "_chat._tcp")
    server = responder(passcodes, service: "_chat._tcp")
    #expect(run(&client, &server).client == .established(nil))
  }

  @Test func `a listener that is paused evaluates nothing`() {
    let passcodes = PasscodeGuard("471123", limit: 1)
    var (client, server) = (initiator("1"), responder(passcodes))
    _ = run(&client, &server)
    (client, server) = (initiator("471123"), responder(passcodes))
    let outcome = run(&client, &server)
    #expect(outcome.client == .failed(.paused) && outcome.server == .failed(.paused))
    #expect(outcome.messages.map(\.kind) == [.share, .refusal])
  }

  @Test func `of a hundred guesses at the same time ten are evaluated`() {
    let passcodes = PasscodeGuard("471123", limitPerAddress: 10)
    // All have their shares before the first proof comes.
    var pairs = (0..<100).map { (initiator(Passcode(text: "\($0)")!), responder(passcodes)) }
    var proofs: [IntroductionMessage?] = []
    for index in pairs.indices {
      let share = pairs[index].0.begin().reply!
      let reply = pairs[index].1.handle(share).reply!
      proofs.append(pairs[index].0.handle(reply).reply)
    }
    let outcomes = pairs.indices.map { pairs[$0].1.handle(proofs[$0]!).outcome }
    #expect(outcomes.count { $0 == .failed(.wrongPasscode) } == 10)
    #expect(outcomes.count { $0 == .failed(.paused) } == 90)
  }

  @Test func `our own messages sent back to us are refused`() {
    var client = initiator("471123")
    let share = client.begin().reply!
    #expect(client.handle(share).outcome == .failed(.invalidShare))

    // Behind another share, our own tag is no proof.
    client = initiator("471123")
    var server = responder(PasscodeGuard("471123"))
    let tag = client.handle(server.handle(client.begin().reply!).reply!).reply!
    #expect(client.handle(tag).outcome == .failed(.wrongPasscode))

    // A server to which its own share and then the client's tag come back.
    server = responder(PasscodeGuard("471123"))
    let own = server.handle(initiatorShare()).reply!
    #expect(server.handle(own).outcome == .failed(.unexpected))
  }

  private func initiatorShare() -> IntroductionMessage {
    var client = initiator("471123")
    return client.begin().reply!
  }

  /// After CVE-2024-3297 (Matter): a first message that is sent again.
  @Test func `what was said in another run proves nothing`() {
    let passcodes = PasscodeGuard("471123")
    var (client, server) = (initiator("471123"), responder(passcodes))
    let recorded = run(&client, &server).messages
    // The same words to a new responder on the same channel: its share is another.
    server = responder(passcodes)
    _ = server.handle(recorded[0])
    #expect(server.handle(recorded[2]).outcome == .failed(.wrongPasscode))
    // And to a new initiator.
    client = initiator("471123")
    _ = client.begin()
    _ = client.handle(recorded[1])
    #expect(client.handle(recorded[3]).outcome == .failed(.wrongPasscode))
  }

  @Test func `shares that are no elements, or the neutral one, are refused without a guess`() {
    let passcodes = PasscodeGuard("471123")
    for share in [
      [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [1] + [UInt8](repeating: 0, count: 31),
    ] {
      var server = responder(passcodes)
      #expect(server.handle(IntroductionMessage(.share, share)).outcome == .failed(.invalidShare))
      var client = initiator("471123")
      _ = client.begin()
      #expect(client.handle(IntroductionMessage(.share, share)).outcome == .failed(.invalidShare))
    }
    #expect(passcodes.remainingGuesses == 10)
  }

  @Test func `a message that does not fit ends the exchange in every state`() {
    for kind in IntroductionMessage.Kind.allCases {
      let message = IntroductionMessage(kind, [UInt8](repeating: 7, count: kind.bodySize))
      for steps in 0...2 {
        var client: any Introduction = initiator("471123")
        var server: any Introduction = responder(PasscodeGuard("471123"))
        if steps > 0 {
          let share = client.begin().reply!
          if steps > 1 { _ = client.handle(server.handle(share).reply!) }
        }
        #expect(client.handle(message).outcome != .established(nil))
        #expect(server.handle(message).outcome != .established(nil))
        // Whatever came, it is over or goes on; it never crashes afterwards.
        _ = (client.handle(message), server.handle(message))
      }
      var (client, server): (any Introduction, any Introduction) = (ComparisonInitiator(binding), ComparisonResponder(binding))
      _ = client.begin()
      if kind != .nonce { #expect(client.handle(message).outcome == .failed(.unexpected)) }
      if kind != .commitment { #expect(server.handle(message).outcome == .failed(.unexpected)) }
    }
  }

  @Test func `an exchange that has failed does not go on with the right message`() {
    let wrong = IntroductionMessage(.opening, [UInt8](repeating: 7, count: 32))
    var (client, server) = (initiator("471123"), responder(PasscodeGuard("471123")))
    let share = client.begin().reply!
    #expect(server.handle(wrong).outcome == .failed(.unexpected) && server.handle(share) == .fail(.unexpected))
    server = responder(PasscodeGuard("471123"))
    let answer = server.handle(share).reply!
    #expect(client.handle(wrong).outcome == .failed(.unexpected) && client.handle(answer) == .fail(.unexpected))

    var (comparing, compared) = (ComparisonInitiator(binding), ComparisonResponder(binding))
    let commitment = comparing.begin().reply!
    #expect(compared.handle(wrong) == .fail(.unexpected) && compared.handle(commitment) == .fail(.unexpected))
    compared = ComparisonResponder(binding)
    let nonce = compared.handle(commitment).reply!
    #expect(comparing.handle(wrong) == .fail(.unexpected) && comparing.handle(nonce) == .fail(.unexpected))
    // Nor is one that has succeeded begun again.
    comparing = ComparisonInitiator(binding)
    compared = ComparisonResponder(binding)
    let messages = run(&comparing, &compared).messages
    #expect(messages.count == 3 && comparing.handle(messages[1]) == .fail(.unexpected))
    #expect(compared.handle(messages[0]) == .fail(.unexpected))
    (client, server) = (initiator("471123"), responder(PasscodeGuard("471123")))
    let said = run(&client, &server).messages
    #expect(client.handle(said[3]) == .fail(.unexpected) && server.handle(said[2]) == .fail(.unexpected))
  }

  @Test func `both sides see the same six digits on one channel`() throws {
    var (client, server) = (ComparisonInitiator(binding), ComparisonResponder(binding))
    let outcome = run(&client, &server)
    guard case .established(let code?)? = outcome.client else {
      Issue.record("no code")
      return
    }
    #expect(outcome.server == .established(code))
    #expect(code.digits.count == 6 && code.digits.allSatisfy(\.isNumber))
    #expect("\(code)" == "\(code.digits.prefix(3)) \(code.digits.suffix(3))")
  }

  @Test func `somebody in between cannot make the codes equal`() throws {
    // With a channel to each side, the best they can do is to pass the random parts on.
    let other = ChannelBinding(SecretBytes.random(count: 64))
    var (equal, total) = (0, 0)
    for _ in 0..<200 {
      var (client, server) = (ComparisonInitiator(binding), ComparisonResponder(other))
      var middleServer = ComparisonResponder(binding)
      var middleClient = ComparisonInitiator(other)
      guard case .established(let first?)? = run(&client, &middleServer).client,
        case .established(let second?)? = run(&middleClient, &server).server
      else { continue }
      total += 1
      if first == second { equal += 1 }
    }
    #expect(total == 200 && equal <= 1)
  }

  /// After CVE-2025-32898 (KDE Connect): a code that whoever is between could search for.
  @Test func `a part that is not the committed one is noticed`() {
    var (client, server) = (ComparisonInitiator(binding), ComparisonResponder(binding))
    let nonce = server.handle(client.begin().reply!).reply!
    _ = client.handle(nonce)
    let other = IntroductionMessage(.opening, SecretBytes.random(count: 32).exposed)
    #expect(server.handle(other).outcome == .failed(.brokenCommitment))
  }

  @Test func `messages are read as they were written, and nothing else is a message`() {
    for kind in IntroductionMessage.Kind.allCases {
      let message = IntroductionMessage(kind, SecretBytes.random(count: kind.bodySize).exposed)
      #expect(IntroductionMessage(encoded: message.encoded) == message)
      #expect(IntroductionMessage(encoded: Array(message.encoded.dropLast())) == nil)
      #expect(IntroductionMessage(encoded: message.encoded + [0]) == nil)
      #expect(IntroductionMessage.size(beginning: [kind.rawValue, UInt8(kind.bodySize) &+ 1]) == nil)
    }
    #expect(IntroductionMessage.size(beginning: [0, 0]) == nil)
    #expect(IntroductionMessage.size(beginning: [99, 32]) == nil)
    #expect(IntroductionMessage(encoded: []) == nil)
  }

  /// As the messages above: computed with Python's hmac and hashlib. Both sides would agree on others, but not with other versions.
  @Test func `what both ends derive from a channel is known`() {
    let binding = ChannelBinding(SecretBytes(Array(0..<64)))
    let part = [UInt8](0..<32)
    for (byte, digits) in [(0, "538955"), (1, "618712"), (17, "000622"), (88, "001934")] as [(UInt8, String)] {
      let code = ComparisonCode(binding, client: part, server: [UInt8](repeating: byte, count: 32))
      #expect(code.digits == digits)
    }
    #expect(
      ComparisonCode.commitment(binding, to: part) == hex("3d6bd9e7e32f80f997053febe2b66c0dfd963edd6c418877d5939ec0b5f80df5"))
    let details = SecurityDetails(peerKey: nil, ownKey: nil, isPasscodeProved: false, comparisonCode: nil, binding: binding)
    let application = details.channelBinding(for: "seat")
    #expect(application == hex("e1aae76cec8e757e7fbdd3b44305bbe28412a4ffbd9aef7b4a82c3703a037cb3"))
    #expect(
      ChannelProof.proof(of: Array("secret of a seat".utf8), over: application)
        == hex("d16adce6e4961ab6ace9057e6fe0f387b56a8a16c8a6188ccd3898386d287efa"))
  }
}
