import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishBase

@testable import FramedActors

/// What a peer may send that does not keep to the rules.
@Suite(.timeLimit(.minutes(1))) struct StrangerTests {
  /// The call of `greet` with "Ada" and 1.
  func greeting() async throws -> Invocation {
    try #require(try await sent { clerk, _ in _ = try? await clerk.greet("Ada", times: 1) }.first)
  }

  @Test func `a method of another type is not called`() async throws {
    let greeting = try await greeting()
    #expect(greeting.method.contains("5ClerkC") && greeting.method.hasSuffix("TE"))
    // Its parameters and result are the same, so only the type tells.
    let nested = greeting.method.replacing("5ClerkC", with: "5ClerkC7TraineeC")
    let foreign = greeting.method.replacing("5ClerkC5greet_5timesS2S_SitYaKFTE", with: "6FriendC4nameSSyYaKFTE")
    #expect(foreign != greeting.method)
    // All of them exist.
    try TargetName.check(greeting.method, of: Clerk.self)
    try TargetName.check(nested, of: Clerk.Trainee.self)
    try TargetName.check(foreign, of: Friend.self)
    try await withStranger(InvocationCodec()) { (stranger, _) async throws in
      let name = ActorKey.name("clerk")
      #expect(try await stranger.request(greeting) == Array(#""Ada""#.utf8))
      for method in [nested, foreign] {
        let call = Invocation(recipient: name, method: method, arguments: greeting.arguments)
        #expect(await refusal { try await stranger.request(call) } == .noSuchMethod)
      }
    }
  }

  @Test func `a name that stands for a huge type, or for none, is not looked into`() async throws {
    let greeting = try await greeting()
    let owner = try #require(greeting.method.firstRange(of: "5ClerkC"))
    let prefix = String(greeting.method[..<owner.upperBound])
    // Each tuple is twice the one before: 2 to the power of 60 in the last.
    let huge = prefix + "1fyySi_Sit" + (0..<60).map { _ in "_AAt" }.joined() + "_tYaKFTE"
    let methods = [
      "", "$s", "TE", "\u{1}\u{2}\u{3}\u{4}\u{5}TE", prefix, prefix + "TE", prefix + "\u{1}\u{0}\u{0}\u{0}\u{0}TE", huge,
      prefix + "5greet" + String(repeating: "_", count: 900) + "TE", prefix + "9999greetTE", prefix + "0000TE",
      prefix + "5greetyyF", "$s" + String(repeating: "Sg", count: 500) + "TE", greeting.method + "x", "ü" + greeting.method,
      prefix + "4noteyySSYaKFT", greeting.method.replacing("greet", with: "gremt"),
    ]
    try await withStranger(InvocationCodec()) { (stranger, _) async throws in
      for method in methods {
        let call = Invocation(recipient: .name("clerk"), method: method, arguments: [])
        #expect(await refusal { try await stranger.request(call) } == .noSuchMethod, "\(method)")
      }
      let long = Invocation(recipient: .name("clerk"), method: String(repeating: "a", count: 1025), arguments: [])
      #expect(await refusal { try await stranger.request(long) } == .unreadable)
      #expect(try await stranger.request(greeting) == Array(#""Ada""#.utf8))
    }
  }

  @Test func `a generic method is not called`() async throws {
    let greeting = try await greeting()
    let owner = try #require(greeting.method.firstRange(of: "5ClerkC"))
    let echo = String(greeting.method[..<owner.upperBound]) + "4echoyxxYaKSeRzSERzlFTE"
    #expect(throws: TargetName.Flaw.generic) { try TargetName.check(echo, of: Clerk.self) }
    try await withStranger(InvocationCodec()) { (stranger, _) async throws in
      let call = Invocation(recipient: .name("clerk"), method: echo, arguments: [Array("1".utf8)])
      #expect(await refusal { try await stranger.request(call) } == .unsupported)
    }
  }

  @Test func `arguments that are not those of the method are refused`() async throws {
    let greeting = try await greeting()
    let good = greeting.arguments
    let deep = Array(String(repeating: "[", count: 65).utf8) + Array(String(repeating: "]", count: 65).utf8)
    let wrong: [[[UInt8]]] = [
      [], [good[0]], good + [good[0]], [good[1], good[0]], [good[0], []], [good[0], Array("{".utf8)],
      [good[0], Array("1 2".utf8)], [good[0], [0xFF, 0xFE]], [good[0], deep], [good[0], Array("1e999".utf8)],
      [good[0], Array("1.5".utf8)],
    ]
    try await withStranger(InvocationCodec()) { (stranger, _) async throws in
      for arguments in wrong {
        let call = Invocation(recipient: .name("clerk"), method: greeting.method, arguments: arguments)
        #expect(await refusal { try await stranger.request(call) } == .badArguments, "\(arguments)")
      }
      for (count, code) in [(64, RemoteError.Code.badArguments), (65, .unreadable)] {
        let many = Invocation(recipient: .name("clerk"), method: greeting.method, arguments: Array(repeating: [], count: count))
        #expect(await refusal { try await stranger.request(many) } == code)
      }
    }
  }

  @Test func `an actor that was not given to the peer cannot be reached`() async throws {
    let greeting = try await greeting()
    try await withStranger(InvocationCodec()) { (stranger, clerk) async throws in
      guard case .here(let number) = clerk.id.place else { throw CancellationError() }
      for key in [ActorKey.number(number), .number(0), .number(.max), .name(""), .name("Clerk")] {
        let call = Invocation(recipient: key, method: greeting.method, arguments: greeting.arguments)
        #expect(await refusal { try await stranger.request(call) } == .noSuchActor)
      }
    }
    // Nor can it be named in an argument.
    let ask = try #require(
      try await sent { clerk, system in _ = try? await clerk.ask(Friend("Ada", actorSystem: system)) }.first)
    try await withStranger(InvocationCodec()) { (stranger, _) async throws in
      for reference in [#"{"yours":1}"#, #"{"yours":"clerk"}"#, #"{"yours":-1}"#, "{}", "1", "null", #"{"mine":1.5}"#] {
        let call = Invocation(recipient: .name("clerk"), method: ask.method, arguments: [Array(reference.utf8)])
        #expect(await refusal { try await stranger.request(call) } == .badArguments, "\(reference)")
      }
      // The stranger has no such actor, and answers no requests.
      let call = Invocation(recipient: .name("clerk"), method: ask.method, arguments: [Array(#"{"mine":7}"#.utf8)])
      #expect(await refusal { try await stranger.request(call) } == .failed)
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>) func `changed bytes of a call are answered or refused`(
    seed: UInt64
  ) async throws {
    let body = try InvocationCodec().encode(try await greeting())
    try await withStranger(ResultCodec()) { (stranger, _) async throws in
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<200 {
        var changed = body
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let index = Int.random(in: 0..<changed.count, using: &generator)
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: changed[index] = .random(in: 0 ... .max, using: &generator)
          case 1: changed.remove(at: index)
          default: changed.insert(.random(in: 0 ... .max, using: &generator), at: index)
          }
        }
        do throws(MessagingError) {
          _ = try await stranger.request(changed)
        } catch {
          #expect(error.code == .refused, "\(changed)")
        }
      }
      #expect(try await stranger.request(body) == Array(#""Ada""#.utf8))
    }
  }

  @Test func `a result that is not of the method's type is an error`() async throws {
    for result in ["", "1", "{", #"["Ada"]"#] {
      try await withPair(.plaintext, .plaintext) { near, far in
        try await far.withRequests(
          InvocationCodec(), replies: ResultCodec(), answering: { _, _ in Array(result.utf8) }
        ) { _ in
          try await PeerActorSystem().withPeer(over: near) { (peer) async throws in
            let clerk = try peer.actor(Clerk.self, named: "clerk")
            #expect(await code { try await clerk.greet("Ada", times: 1) } == .badResult)
            #expect(await code { try await clerk.note("") } == (result.isEmpty ? nil : .badResult))
          }
        }
      }
    }
  }

  @Test(arguments: [
    ("$s1aAACAAyyYaKFTE", "1aAAC", true), ("$s1a2NSO4DeepCAAyyYaKFTE", "1a2NSO4DeepC", true),
    ("$s1a5GreetC009gre_GkaIlyySDySSAC5InnerCGYaKFTE", "1a5GreetC", true),
    ("$s1a5GreetC05helloA0_2toACSi_ACtYaKFTE", "1a5GreetC", true),
    ("$s1a5GreetC6secret33_EFF83A1F47B777EA672D48C97C71346FLLyyYaKFTE", "1a5GreetC", true),
    ("$s1a5GreetC5otherE3extyyYaKFTE", "1a5GreetC", true), ("$s1a5GreetC5otherE5InnerC3extyyYaKFTE", "1a5GreetC", false),
    ("$s1a5GreetC5InnerC5hello4nameySS_tYaKFTE", "1a5GreetC", false), ("$s1a5GreetCAAC5helloyyYaKFTE", "1a5GreetC", false),
    ("$s1a5GreetC5Inner33_EFF83A1F47B777EA672D48C97C71346FLLC5helloyyYaKFTE", "1a5GreetC", false),
    ("$s1a5GreetC05InnerA0C5helloyyYaKFTE", "1a5GreetC", false), ("$s1a5GreetV5helloyyYaKFTE", "1a5GreetC", false),
    ("$s1a5GreetC5helloyyYaKF", "1a5GreetC", false), ("$s1a5GreetC5helloL_yyYaKFTE", "1a5GreetC", false),
  ]) func `the owner of a method is told by its name`(name: String, owner: String, isMember: Bool) {
    #expect(TargetName.isMember(Array(name.utf8), of: Array(owner.utf8)) == isMember)
  }

  /// What a peer makes up: numbers and words that lead nowhere, and letters beside those that are meant.
  @Test(arguments: [
    ("5helloy", true), ("8yyYaKFTEyyYaKF", true), ("17yyYaKFTEyyYaKF", false), ("99yyYaKF", false), ("0yyYaKF", false),
    ("0a0yyYaKF", true), ("0A0yyYaKF", true), ("0aB0yyYaKF", true), ("0[0yyYaKF", false), ("Aay", false), ("AaBy", true),
    ("AZy", true), ("A[y", false), ("A@y", false), ("A`By", false), ("5hello/", false), ("5hello:", false), ("5hello0", true),
    ("5hello9", true), ("5helloz", false), ("5helloE", false),
  ]) func `a made-up name of a method is read to its end and no further`(rest: String, isMember: Bool) {
    #expect(TargetName.isMember(Array("$s1a5GreetC\(rest)TE".utf8), of: Array("1a5GreetC".utf8)) == isMember)
  }

  @Test(arguments: [(1024, true), (1025, false)]) func `the name of a method has up to 1024 bytes`(count: Int, isMember: Bool) {
    let name = "$s1a5GreetC5helloy" + String(repeating: "y", count: count - 20) + "TE"
    #expect(TargetName.isMember(Array(name.utf8), of: Array("1a5GreetC".utf8)) == isMember)
  }
}
