import FramedSecurity
import FramedTransport
package import FuzzCases

/// The exchanges between handshake and frames, with a peer that sends anything.
///
/// The first byte is whether the passcodes are the same, and which exchange each side takes; the second, how many wrong guesses are
/// permitted; then each byte is a message, genuine, changed, or invented.
package enum PasscodeCase {
  /// Enough for as many wrong guesses as are permitted at most, and a pause; more would repeat the same.
  private static let mostMessages = 48

  private static let binding = ChannelBinding(SecretBytes(Array(repeating: 24, count: 64)))
  private static let peer = SocketAddress(numericHost: "192.0.2.1", port: 7)
  private static let context = PasscodeContext(binding, service: "_fuzz._tcp", arithmetic: RememberedArithmetic.arithmetic)

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    guard bytes.count > 2, let peer else { return }
    let knowsPasscode = bytes[0] & 1 == 0
    let limit = Int(bytes[1] % 4) + 1
    let passcodes = PasscodeGuard("471123", limit: limit, limitPerAddress: limit)
    RememberedArithmetic.begin()
    func makeClient() -> any Introduction {
      guard bytes[0] & 2 == 0 else { return ComparisonInitiator(binding) }
      let passcode = PasscodeInitiator(knowsPasscode ? "471123" : "471124", context)
      return bytes[0] & 8 == 0 ? passcode : KnownKeyInitiator(binding, passcode)
    }
    func makeServer() -> any Introduction {
      guard bytes[0] & 4 == 0 else { return ComparisonResponder(binding) }
      let passcode = PasscodeResponder(passcodes, peer: peer, context)
      return bytes[0] & 16 == 0 ? passcode : KnownKeyResponder(binding, isKnown: false, passcode)
    }
    var (client, server) = (makeClient(), makeServer())
    var toServer = client.begin().reply
    var toClient: IntroductionMessage?
    var rest = bytes.dropFirst(2)
    var messageCount = 0
    while messageCount < mostMessages, let kind = rest.popFirst() {
      let isForServer = kind & 1 == 0
      guard var encoded = (isForServer ? toServer : toClient)?.encoded ?? invented(&rest)?.encoded else { continue }
      var isGenuine = (isForServer ? toServer : toClient) != nil
      if kind & 2 != 0, let place = rest.popFirst() {
        encoded[Int(place) % encoded.count] ^= max(1, kind >> 2)
        isGenuine = false
      }
      guard let message = IntroductionMessage(encoded: encoded) else { continue }
      messageCount += 1
      let step = isForServer ? server.handle(message) : client.handle(message)
      if isForServer { toClient = step.reply } else { toServer = step.reply }
      // With a code to compare, nobody has proved a passcode; a listener with a passcode makes none for those whom it does not know.
      if case .established(let code)? = step.outcome, code == nil || isForServer && bytes[0] & 4 == 0 {
        try Violation.unless(knowsPasscode, "somebody without the passcode was let in")
        try Violation.unless(isGenuine, "a changed message was accepted as a proof")
      }
      try Violation.unless((0...limit).contains(passcodes.remainingGuesses), "guesses were counted wrongly")
      if step.outcome != nil {
        if isForServer { server = makeServer() } else { client = makeClient() }
        if !isForServer || step.reply == nil { toServer = client.begin().reply }
      }
    }
  }

  private static func invented(_ rest: inout ArraySlice<UInt8>) -> IntroductionMessage? {
    guard let first = rest.popFirst(), let kind = IntroductionMessage.Kind(rawValue: first % 8) else { return nil }
    let body = Array(rest.prefix(kind.bodySize))
    rest = rest.dropFirst(body.count)
    return IntroductionMessage(kind, body + Array(repeating: 0, count: kind.bodySize - body.count))
  }
}
