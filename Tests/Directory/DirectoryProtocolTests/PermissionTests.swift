import Testing
import _BonjourishDirectoryProtocol

/// What a server says to a user who may not do something, and the texts of NKEYs.
struct PermissionTests {
  @Test func `a violation names the subject that its user may not use`() throws {
    let publish = try #require(PermissionViolation("Permissions Violation for Publish to \"$KV.b.world.m\""))
    #expect(publish.action == .publish && publish.subject == "$KV.b.world.m")
    #expect(publish.concerns("$KV.b.world.m"))
    #expect(!publish.concerns("$KV.b.world.mm"))
    let subscription = try #require(
      PermissionViolation("permissions violation for subscription to \"_INBOX.a.*\" using queue \"q\""))
    #expect(subscription.action == .subscribe && subscription.subject == "_INBOX.a.*")
    #expect(!subscription.concerns("_INBOX.a.*"))
    // The C library keeps the beginning of a long one.
    let cut = try #require(PermissionViolation("Permissions Violation for Publish to \"$KV.b.wor"))
    #expect(cut.concerns("$KV.b.world.m"))
    #expect(!cut.concerns("$KV.b.eu.m"))
    for text in [
      "", "\"", "Authorization Violation", "Permissions Violation for Publish to \"\"", "Permissions Violation for \"a\"",
    ] {
      #expect(PermissionViolation(text) == nil, "\(text)")
    }
  }

  @Test func `a refused subject is an answer that trying again does not change`() {
    let message = DirectoryMessage(subject: "$KV.b.world.m", status: 403)
    guard case .refused(let failure) = JetStreamAnswer(message), case .refused(let other) = DirectAnswer(message) else {
      Issue.record("a refusal is no answer")
      return
    }
    #expect(failure == other)
    #expect(failure.isNotPermitted && failure.isFinal)
    #expect(failure.text.contains("$KV.b.world.m"))
  }

  /// The example of the documents of NATS.
  @Test func `the seed of a user is read, also among other lines, and nothing else is`() throws {
    let text = "SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY"
    let seed = try #require(NKeySeed(file: Array(text.utf8)))
    #expect(seed.bytes.count == 32)
    #expect(NKeySeed(file: Array("-----BEGIN-----\r\n\(text)\r\n------END------\n".utf8))?.bytes == seed.bytes)
    #expect(NKeySeed(file: Array("seed: \(text) \t".utf8))?.bytes == seed.bytes)
    for position in [2, 20, 57] {
      var changed = Array(text.utf8)
      changed[position] = changed[position] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      #expect(NKeySeed(file: changed) == nil)
    }
    for wrong in [
      "", "SUA", text.lowercased(), String(text.dropLast()), text + "A",
      "UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4",
    ] {
      #expect(NKeySeed(file: Array(wrong.utf8)) == nil)
    }
    let key: [UInt8] = (0..<32).map { $0 }
    #expect(NKeySeed.publicText(key).utf8.count == 56)
    #expect(NKeySeed.publicText(key).hasPrefix("U"))
  }
}
