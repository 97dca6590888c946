import Testing
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

@testable import BonjourishDirectory

/// What a configuration may say, and what is made of it.
@Suite struct DirectorySettingsTests {
  private static func settings(_ change: (inout DirectoryConfiguration) -> Void = { _ in }) throws(DiscoveryError)
    -> DirectorySettings
  {
    var configuration = DirectoryConfiguration(servers: ["nats://a"])
    change(&configuration)
    return try DirectorySettings(configuration)
  }

  /// Why a configuration cannot be used; nil if it can.
  private static func refusal(_ change: (inout DirectoryConfiguration) -> Void) -> String? {
    do throws(DiscoveryError) {
      _ = try settings(change)
      return nil
    } catch {
      #expect(error.code == .invalidDirectory)
      return error.message
    }
  }

  @Test func `a configuration that names its servers only has the defaults of the documentation`() throws {
    let settings = try Self.settings()
    #expect(
      settings.servers == ["nats://a"] && !settings.isSecure && settings.authorities == nil && settings.certificate == nil)
    #expect(settings.region.text == "world" && settings.shard == nil && settings.bucket == Bucket("bonjourish"))
    #expect(settings.createsBucket && settings.replicas == 1 && settings.addresses == [] && !settings.allowsLoopback)
    #expect(settings.inboxPrefix == "_INBOX" && settings.relays && settings.relayPrefix == "bonjourish.relay")
    guard case .none = settings.credentials.kind else { return #expect(Bool(false)) }
  }

  @Test func `everything that is configured is used`() throws {
    let settings = try Self.settings { configuration in
      (configuration.region, configuration.shard, configuration.bucket) = ("eu-1", 63, "B_2")
      (configuration.createsBucket, configuration.replicas, configuration.allowsLoopback) = (false, 3, true)
      (configuration.addresses, configuration.relays) = ([.ipv4(1)], false)
      (configuration.requestPrefix, configuration.inboxPrefix) = ("$JS.hub.API", "_MINE")
      configuration.lease = RecordLease(duration: .seconds(6))
      configuration.credentials = .token("t")
    }
    #expect(settings.region.text == "eu-1" && settings.shard == 63)
    #expect(settings.bucket == Bucket("B_2", api: "$JS.hub.API", lease: RecordLease(duration: .seconds(6))))
    #expect(!settings.createsBucket && settings.replicas == 3 && settings.allowsLoopback && settings.addresses == [.ipv4(1)])
    #expect(settings.inboxPrefix == "_MINE" && !settings.relays && settings.relayPrefix == "B_2.relay")
    guard case .token("t") = settings.credentials.kind else { return #expect(Bool(false)) }
  }

  @Test func `a certificate, an authority or a URL that begins with tls means TLS`() throws {
    #expect(try Self.settings { $0.isSecure = true }.isSecure)
    let authorities = try Self.settings { $0.authorities = "/ca.pem" }
    #expect(authorities.isSecure && authorities.authorities == "/ca.pem")
    let certificate = try Self.settings { $0.certificate = ("/a.pem", "/a.key") }
    #expect(
      certificate.isSecure && certificate.certificate?.certificate == "/a.pem" && certificate.certificate?.key == "/a.key")
    #expect(try Self.settings { $0.servers = ["nats://a", "tls://b"] }.isSecure)
  }

  @Test func `what cannot be used is refused with what there may be`() {
    let servers = (1...33).map { "nats://s\($0)" }
    let counts = "the directory's servers: there are %; give 1–32 URLs such as nats://host:4222"
    #expect(Self.refusal { $0.servers = [] } == counts.replacing("%", with: "0"))
    #expect(Self.refusal { $0.servers = servers } == counts.replacing("%", with: "33"))
    #expect(Self.refusal { $0.servers = Array(servers.dropLast()) } == nil)
    #expect(
      Self.refusal { $0.servers = ["http://ada:secret@a"] }
        == "the directory's server \"http://…@a\" is no URL such as nats://host:4222 or tls://host")
    #expect(
      Self.refusal { $0.region = "EU" } == "the directory's region \"EU\" must be 1–32 lower-case letters, digits and hyphens")
    #expect(
      Self.refusal { $0.bucket = "a.b" }
        == "the directory's bucket \"a.b\" must be 1–64 letters, digits, hyphens and underscores")
    for replicas in [0, 6] {
      #expect(Self.refusal { $0.replicas = replicas } == "the directory's number of replicas must be 1–5")
    }
    #expect(Self.refusal { $0.replicas = 5 } == nil)
    #expect(Self.refusal { $0.shard = 0 } == nil)
    let addresses = (0...16).map { IPAddress.ipv4(0xC000_0200 + $0) }
    #expect(
      Self.refusal { $0.addresses = addresses } == "the directory's further addresses are too many; at most 16 are allowed")
    #expect(Self.refusal { $0.addresses = Array(addresses.dropLast()) } == nil)
  }

  @Test(arguments: [
    ("$JS.hub-1.API_", true), ("azAZ09", true), (String(repeating: "a", count: 128), true),
    (String(repeating: "a", count: 129), false), ("", false), (".a", false), ("a.", false), ("a..b", false), ("a b", false),
    ("a*", false), ("a>", false), ("é", false), ("a@", false), ("a[", false), ("a`", false), ("a{", false), ("a/", false),
    ("a:", false),
  ])
  func `a prefix is tokens of letters, digits and three signs`(prefix: String, isAllowed: Bool) {
    let reason = "the directory's prefixes must be tokens of letters, digits and -_$ with dots between them"
    #expect(Self.refusal { $0.requestPrefix = prefix } == (isAllowed ? nil : reason))
    #expect(Self.refusal { $0.inboxPrefix = prefix } == (isAllowed ? nil : reason))
  }

  @Test(
    arguments: [
      ("nats://a", "a", false), ("a", "a", false), ("a:4222", "a", false), ("nats://a:1/", "a", false), ("tls://a", "a", true),
      ("nats://ada:s@cret@a:65535", "a", false), ("token@a", "a", false), ("nats://[::1]", "::1", false),
      ("tls://[2001:db8::1]:4222", "2001:db8::1", true), ("nats://192.0.2.1:4222", "192.0.2.1", false),
      ("nats://" + String(repeating: "a", count: 1_017), String(repeating: "a", count: 1_017), false),
    ] as [(String, String, Bool)])
  func `a server has a host, and perhaps a port, a user and TLS`(text: String, host: String, isSecure: Bool) throws {
    let url = try #require(ServerURL(text))
    #expect(url.host == host && url.isSecure == isSecure && url.text == text)
  }

  @Test(arguments: [
    "", "nats://", "http://a", "nats://a:", "nats://a:0", "nats://a:65536", "nats://a:b", "nats://a:1:2", "nats://[::1",
    "nats://[::1]x",
    "nats://[::1]1", "nats://[192.0.2.1]", "nats://[a]", "nats://a/b", "nats://a b", "nats://ä", "nats://\u{7F}",
    "nats://[::1]:",
    "nats://" + String(repeating: "a", count: 1_018),
  ])
  func `anything else is no server`(text: String) {
    #expect(ServerURL(text) == nil)
  }

  @Test func `messages name up to three servers, without passwords and tokens`() throws {
    #expect(try Self.settings { $0.servers = ["nats://ada:secret@a", "token@b", "c"] }.place == "nats://…@a, …@b, c")
    #expect(try Self.settings { $0.servers = ["a", "b", "c", "d", "e"] }.place == "a, b, c and 2 more")
  }

  @Test func `states are told in words`() {
    let error = DiscoveryError(.unavailable, "it is away")
    #expect("\(DirectoryConfiguration.State.available)" == "available")
    #expect("\(DirectoryConfiguration.State.unavailable(error))" == "unavailable: \(error)")
    #expect("\(OwnedValues.State.available)" == "available")
    #expect("\(OwnedValues.State.unavailable(error))" == "unavailable: \(error)")
    let changes: [(OwnedValues.Change, String)] = [
      (.owned("m", stored: 7), "m is owned, and stored as of version 7"), (.doubtful("m"), "m is in doubt"),
      (.lost("m"), "m is lost"), (.failed("m", error), "m cannot be stored: \(error)"),
      (.orphaned(OwnedValues.Orphan(name: "m", bytes: [1, 2])), "m has no owner (2 bytes)"),
    ]
    for (change, text) in changes { #expect(change.description == text) }
    let failure = JetStreamFailure(code: 400, kind: 10_054, text: "message size exceeds maximum allowed")
    #expect(OwnedValues.Change("m", .owned(stored: 3)) == .owned("m", stored: 3))
    #expect(OwnedValues.Change("m", .doubtful) == .doubtful("m") && OwnedValues.Change("m", .lost) == .lost("m"))
    let refused = DiscoveryError(.refused, "storing \"m\" in the directory: \(failure.text)", because: failure)
    #expect(OwnedValues.Change("m", .failed(failure)) == .failed("m", refused))
  }
}

/// What owned values may be configured to be.
@Suite struct OwnedValuesConfigurationTests {
  private func refusal(_ change: (inout OwnedValues.Configuration) -> Void) throws -> String? {
    var configuration = OwnedValues.Configuration()
    change(&configuration)
    let settings = try DirectorySettings(DirectoryConfiguration(servers: ["nats://a"]))
    do throws(OwnedValueError) {
      _ = try configuration.checked(for: settings)
      return nil
    } catch {
      #expect(error.code == .invalidConfiguration)
      return "\(error)"
    }
  }

  @Test func `values that nothing is configured for have the defaults of the documentation`() {
    let configuration = OwnedValues.Configuration()
    #expect(configuration.bucket == "bonjourish-matches" && configuration.lease == .seconds(13))
    #expect(configuration.maximumByteCount == 524_288 && configuration.maximumTotal == 134_217_728)
    #expect(configuration.retention == .seconds(600))
  }

  @Test(arguments: [(3, 500), (6, 1_000), (13, 1_000), (60, 1_000)])
  func `the owner stops a second before its lease ends, or a sixth of the lease`(lease: Int, milliseconds: Int) {
    var configuration = OwnedValues.Configuration()
    (configuration.lease, configuration.retention) = (.seconds(lease), .seconds(700))
    var expected = Ownership.Timing()
    (expected.lease, expected.retention) = (.seconds(lease), .seconds(700))
    (expected.margin, expected.interval) = (.milliseconds(milliseconds), .milliseconds(milliseconds))
    #expect(configuration.timing == expected)
    configuration.maximumByteCount = 77
    #expect(configuration.limits.valueSize == 77)
  }

  @Test func `the bucket keeps values as long as is configured, by the requests of the directory`() throws {
    var directory = DirectoryConfiguration(servers: ["nats://a"])
    directory.requestPrefix = "$JS.hub.API"
    var configuration = OwnedValues.Configuration()
    configuration.retention = .seconds(700)
    let bucket = try configuration.checked(for: DirectorySettings(directory))
    #expect(bucket == Bucket("bonjourish-matches", api: "$JS.hub.API", lease: RecordLease(duration: .seconds(700))))
  }

  @Test func `what cannot be used is refused with what there may be`() throws {
    #expect(try refusal { _ in } == nil)
    #expect(
      try refusal { $0.bucket = "a.b" } == "the values' bucket \"a.b\" must be 1–64 letters, digits, hyphens and underscores")
    #expect(try refusal { $0.bucket = "bonjourish" } == "the values' bucket must not be that of the services")
    for lease in [2_999, 60_001] {
      #expect(try refusal { $0.lease = .milliseconds(lease) } == "the values' lease must be 3–60 s")
    }
    for (lease, retention) in [(3, 60), (60, 600)] {
      #expect(
        try refusal { ($0.lease, $0.retention) = (.seconds(lease), .seconds(retention)) } == nil)
    }
    for size in [0, (900 << 10) + 1] {
      #expect(try refusal { $0.maximumByteCount = size } == "the values' largest size must be 1 byte to 900 KiB")
    }
    for size in [1, 900 << 10] { #expect(try refusal { $0.maximumByteCount = size } == nil) }
    #expect(
      try refusal { ($0.maximumByteCount, $0.maximumTotal) = (8, 7) }
        == "the values' total size must not be less than that of one")
    #expect(try refusal { ($0.maximumByteCount, $0.maximumTotal) = (8, 8) } == nil)
    for (lease, retention) in [(3_000, 59_999), (3_000, 86_400_001), (13_000, 129_999)] {
      #expect(
        try refusal { ($0.lease, $0.retention) = (.milliseconds(lease), .milliseconds(retention)) }
          == "the values' retention must be 1–1,440 min, and at least ten leases")
    }
    #expect(try refusal { $0.retention = .seconds(86_400) } == nil)
  }
}
