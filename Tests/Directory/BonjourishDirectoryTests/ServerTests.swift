import Bonjourish
import Foundation
import TestSupport
import Testing

@testable import BonjourishDirectory

/// Servers that want to know who somebody is, and how programs find them.
@Suite(.timeLimit(.minutes(2))) struct ServerTests {
  private static let accounts = """
    jetstream: enabled
    accounts: { GAMES: { jetstream: enabled, users: [ { user: ada, password: "s3cret" } ] } }
    """

  @Test func `a user and a password are needed, and wrong ones are told`() async throws {
    let server = try await NATSServer(settings: Self.accounts)
    let right = try await Bonjour(server) { $0.credentials = .password(user: "ada", "s3cret") }
    #expect(try await right.services(of: "_game._tcp").isEmpty)
    let wrong = try await Bonjour(server) { $0.credentials = .password(user: "ada", "wrong") }
    let error = await #expect(throws: DiscoveryError.self) {
      try await wrong.services(of: "_game._tcp", within: .seconds(4))
    }
    #expect(error?.code == .notPermitted)
    #expect(error?.message.lowercased().contains("authorization") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("wrong") == false)
  }

  @Test func `the permissions that the documentation names are enough`() async throws {
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        authorization: { users: [
          { user: operator, password: o },
          { user: host, password: h, permissions: {
            publish: ["$KV.bonjourish.>", "$JS.API.STREAM.INFO.KV_bonjourish", "$JS.API.CONSUMER.CREATE.KV_bonjourish",
              "$JS.API.DIRECT.GET.KV_bonjourish.>", "$JS.FC.KV_bonjourish.>"], subscribe: "_INBOX.>" } },
          { user: guest, password: g, permissions: {
            publish: ["$JS.API.STREAM.INFO.KV_bonjourish", "$JS.API.CONSUMER.CREATE.KV_bonjourish",
              "$JS.API.DIRECT.GET.KV_bonjourish.>", "$JS.FC.KV_bonjourish.>"], subscribe: "_INBOX.>" } } ] }
        """)
    let operators = try await Bonjour(server) { $0.credentials = .password(user: "operator", "o") }
    #expect(try await operators.services(of: "_game._tcp").isEmpty)
    let host = try await Bonjour(server) { $0.credentials = .password(user: "host", "h") }
    let guest = try await Bonjour(server) { $0.credentials = .password(user: "guest", "g") }
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { service in
      #expect(await service.interruption == nil)
      let found = try await guest.services(of: "_game._tcp")
      #expect(found.map(\.instance.name) == ["Game"])
      let endpoint = try await guest.resolve(ServiceInstance("Game", type: "_game._tcp"))
      #expect(endpoint.port == 1)
    }
  }

  @Test func `a server without JetStream is told in words`() async throws {
    let server = try await NATSServer(settings: "")
    let guest = try await Bonjour(server)
    let error = await #expect(throws: DiscoveryError.self) {
      try await guest.services(of: "_game._tcp", within: .seconds(4))
    }
    #expect(error?.message.contains("JetStream is not enabled") == true, "\(error?.message ?? "")")
  }

  @Test func `the certificate of a server must be of its name and of a trusted authority`() async throws {
    let folder = try TemporaryFolder()
    func openssl(_ arguments: String...) throws {
      let (code, _, errors) = try ChildProcess.run("/usr/bin/openssl", arguments)
      try #require(code == 0, "\(String(decoding: errors, as: UTF8.self))")
    }
    for (file, name) in [("right", "IP:127.0.0.1,DNS:localhost"), ("wrong", "DNS:example.org")] {
      try openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=\(file)",
        "-addext", "subjectAltName=\(name)", "-keyout", folder.path + "/\(file).key", "-out", folder.path + "/\(file).pem")
    }
    func settings(_ file: String) -> String {
      """
      jetstream: enabled
      tls: { cert_file: "\(folder.path)/\(file).pem", key_file: "\(folder.path)/\(file).key" }
      """
    }
    func attempt(_ server: NATSServer, trusting file: String?) async throws {
      let guest = try await Bonjour(server) { configuration in
        configuration.isSecure = true
        configuration.authorities = file.map { folder.path + "/\($0).pem" }
      }
      _ = try await guest.services(of: "_game._tcp", within: .seconds(4))
    }
    func named(_ name: String, _ server: NATSServer, trusting file: String) -> DirectoryConfiguration {
      var configuration = DirectoryConfiguration(servers: ["tls://\(name):\(server.port)"])
      configuration.authorities = folder.path + "/\(file).pem"
      return configuration
    }
    let server = try await NATSServer(settings: settings("right"))
    try await attempt(server, trusting: "right")
    let other = try await Bonjour(directory: named("localhost", server, trusting: "right"), local: nil)
    #expect(try await other.services(of: "_game._tcp", within: .seconds(4)).isEmpty)
    let untrusted = await #expect(throws: DiscoveryError.self) { try await attempt(server, trusting: nil) }
    #expect(untrusted?.code == .untrusted)
    await #expect(throws: DiscoveryError.self) { try await attempt(server, trusting: "wrong") }
    let impostor = try await NATSServer(settings: settings("wrong"))
    await #expect(throws: DiscoveryError.self) { try await attempt(impostor, trusting: "wrong") }
    let deceived = try await Bonjour(directory: named("localhost", impostor, trusting: "wrong"), local: nil)
    await #expect(throws: DiscoveryError.self) { try await deceived.services(of: "_game._tcp", within: .seconds(4)) }
  }

  @Test func `contexts and variables of the nats command are read`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path + "/nats/context", withIntermediateDirectories: true)
    func write(_ text: String, _ file: String) throws {
      try text.write(toFile: folder.path + "/nats/" + file, atomically: true, encoding: .utf8)
    }
    try write("hub\n", "context.txt")
    try write(
      """
      {"description": "x", "url": "nats://a:4222, tls://b", "user": "ada", "password": "s3cret", "ca": "/ca.pem", "cert": "", "key": "",
       "jetstream_domain": "hub", "inbox_prefix": "_MINE", "color_scheme": ""}
      """, "context/hub.json")
    try write("{\"url\": \"nats://c\", \"nsc\": \"nsc://o/a/u\"}", "context/nsc.json")
    try write("{\"url\": ", "context/broken.json")
    try write("{\"url\": \"nats://c\", \"nkey\": \"/user.nk\"}", "context/key.json")
    func configuration(_ variables: [String: String]) throws -> DirectoryConfiguration {
      try .ofEnvironment { (["XDG_CONFIG_HOME": folder.path].merging(variables) { $1 })[$0] }
    }
    let selected = try configuration([:])
    #expect(selected.servers == ["nats://a:4222", "tls://b"])
    #expect(selected.authorities == "/ca.pem")
    #expect(selected.certificate == nil)
    #expect(selected.requestPrefix == "$JS.hub.API")
    #expect(selected.inboxPrefix == "_MINE")
    #expect(try configuration(["NATS_URL": "nats://d"]).servers == ["nats://d"])
    #expect(try configuration(["NATS_URL": "nats://d"]).authorities == nil)
    // A context that is only selected is for other servers; one that is named, and variables, are meant.
    func named(_ variables: [String: String]) throws -> DirectoryConfiguration {
      try .ofEnvironment(servers: ["nats://e"]) { (["XDG_CONFIG_HOME": folder.path].merging(variables) { $1 })[$0] }
    }
    for variables in [[:], ["NATS_URL": "nats://d"]] {
      let configuration = try named(variables)
      #expect(configuration.servers == ["nats://e"])
      #expect(configuration.authorities == nil)
    }
    let meant = try named(["NATS_CONTEXT": "hub", "NATS_CERT": "/c", "NATS_KEY": "/k"])
    #expect(meant.servers == ["nats://e"])
    #expect(meant.authorities == "/ca.pem")
    #expect(meant.certificate?.key == "/k")
    for name in ["nsc", "broken", "missing", "../context/hub"] {
      let error = #expect(throws: DiscoveryError.self) { try configuration(["NATS_CONTEXT": name]) }
      #expect(error?.code == .invalidDirectory)
    }
    #expect(throws: DiscoveryError.self) { try configuration(["XDG_CONFIG_HOME": "/nowhere"]) }
    for variables in [["NATS_CONTEXT": "key"], ["NATS_NKEY": "/user.nk"]] {
      guard case .key(nil, seedFile: "/user.nk") = try configuration(variables).credentials.kind else {
        Issue.record("\(variables) names no key")
        continue
      }
    }
  }

  @Test func `a configuration that cannot work is refused with words, and without secrets`() async throws {
    for url in [
      "", "http://a", "nats://", "nats://a:0", "nats://a:b", "nats://a:1:2", "nats://a b", "nats://[::1", "nats://a/x",
    ] {
      let error = await #expect(throws: DiscoveryError.self, "\(url)") {
        try await Bonjour(directory: DirectoryConfiguration(servers: [url]), local: nil)
      }
      #expect(error?.code == .invalidDirectory)
    }
    let error = await #expect(throws: DiscoveryError.self) {
      try await Bonjour(directory: DirectoryConfiguration(servers: ["nats://ada:s3cret@a:b"]), local: nil)
    }
    #expect(error?.message.contains("s3cret") == false)
  }
}
