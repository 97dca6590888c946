import Bonjourish
import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Users who prove who they are by keys, tokens of an operator, and certificates, at a real server.
@Suite(.timeLimit(.minutes(2))) struct CredentialsTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func write(_ text: String, _ name: String) throws -> String {
    let path = folder.path + "/" + name
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// Whether somebody gets in.
  private func attempt(_ server: NATSServer, _ change: (inout DirectoryConfiguration) -> Void) async throws {
    let guest = try await Bonjour(server, change)
    #expect(try await guest.services(of: "_game._tcp", within: .seconds(4)).isEmpty)
  }

  @Test func `a user proves to be the owner of a key`() async throws {
    let (user, other) = (NKey(.user), NKey(.user))
    let server = try await NATSServer(
      settings: "jetstream: enabled\nauthorization: { users: [ { nkey: \(user.publicKey) } ] }")
    let (seed, otherSeed) = (try write(user.seed + "\n", "user.nk"), try write(other.seed + "\n", "other.nk"))
    try await attempt(server) { $0.credentials = .key(user.publicKey, seedFile: seed) }
    try await attempt(server) { $0.credentials = .key(seedFile: seed) }
    let stranger = await #expect(throws: DiscoveryError.self) {
      try await attempt(server) { $0.credentials = .key(seedFile: otherSeed) }
    }
    #expect(stranger?.code == .notPermitted)
    let noSeed = try write(user.publicKey + "\n", "user.pub")
    for file in [noSeed, "/nowhere.nk"] {
      let error = await #expect(throws: DiscoveryError.self) {
        try await attempt(server) { $0.credentials = .key(seedFile: file) }
      }
      #expect(error?.code == .invalidDirectory)
      #expect(error?.message.contains(file) == true)
      #expect((error?.underlyingError as? SystemError)?.errno == (file == noSeed ? nil : ENOENT))
      #expect(error?.underlyingError != nil)
    }
    await #expect(throws: DiscoveryError.self) {
      try await attempt(server) { $0.credentials = .key(other.publicKey, seedFile: otherSeed) }
    }
    // The seed of another key.
    let error = await #expect(throws: DiscoveryError.self) {
      try await attempt(server) { $0.credentials = .key(user.publicKey, seedFile: otherSeed) }
    }
    #expect(error?.message.contains(other.seed) == false)
  }

  @Test func `a token is needed, and a wrong one is told`() async throws {
    let server = try await NATSServer(settings: "jetstream: enabled\nauthorization: { token: s3cret }")
    try await attempt(server) { $0.credentials = .token("s3cret") }
    try await attempt(server) { $0.servers = ["nats://s3cret@127.0.0.1:\(server.port)"] }
    for credentials in [DirectoryConfiguration.Credentials.none, .token("wrong")] {
      let error = await #expect(throws: DiscoveryError.self) { try await attempt(server) { $0.credentials = credentials } }
      #expect(error?.code == .notPermitted && error?.message.contains("wrong") == false)
    }
  }

  @Test(arguments: ["EVP_PKEY_new_raw_private_key", "EVP_PKEY_get_raw_public_key", "EVP_PKEY_free", nil])
  func `without a function of OpenSSL the seed of a key is not said to be missing`(missing: String?) throws {
    let user = NKey(.user)
    let seed = try #require(NKeySeed(file: Array(user.seed.utf8)))
    func publicKey() throws(NATSFailure) -> String {
      try NATSLibrary.publicKey(of: seed) { $0 == missing ? nil : dlsym(nil, $0) }
    }
    guard missing != nil else { return #expect(try publicKey() == user.publicKey) }
    let failure = #expect(throws: NATSFailure.self) { try publicKey() }
    #expect(failure?.code == .invalidDirectory)
    #expect(failure?.reason.contains("needs OpenSSL") == true)
  }

  @Test func `a user of an operator's account gets in with a file of credentials`() async throws {
    let (operators, system, games, foreign) = (NKey(.operators), NKey(.account), NKey(.account), NKey(.account))
    func account(_ key: NKey, _ name: String, storage: Int) throws -> String {
      let limits: [String: Any] = [
        "subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
        "mem_storage": storage, "disk_storage": storage, "streams": -1, "consumer": -1,
      ]
      return try operators.token(about: key, named: name, ["type": "account", "limits": limits])
    }
    func credentials(of user: NKey, _ account: NKey) throws -> String {
      let rights: [String: Any] = ["type": "user", "subs": -1, "data": -1, "payload": -1, "pub": [:], "sub": [:]]
      return """
        -----BEGIN NATS USER JWT-----
        \(try account.token(about: user, named: "ada", rights))
        ------END NATS USER JWT------

        -----BEGIN USER NKEY SEED-----
        \(user.seed)
        ------END USER NKEY SEED------

        """
    }
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        operator: "\(try operators.token(about: operators, named: "test", ["type": "operator"]))"
        system_account: \(system.publicKey)
        resolver: MEMORY
        resolver_preload: {
          \(system.publicKey): "\(try account(system, "SYS", storage: 0))"
          \(games.publicKey): "\(try account(games, "GAMES", storage: -1))"
        }
        """)
    let right = try write(credentials(of: NKey(.user), games), "right.creds")
    try await attempt(server) { $0.credentials = .file(right) }
    let host = try await Bonjour(server) { $0.credentials = .file(right) }
    try await host.withPublishedService(named: "Game", type: "_game._tcp", port: 1) { _ in
      let guest = try await Bonjour(server) { $0.credentials = .file(right) }
      #expect(try await guest.services(of: "_game._tcp").map(\.instance.name) == ["Game"])
    }
    // Of an account that the operator does not know.
    let wrong = try write(credentials(of: NKey(.user), foreign), "wrong.creds")
    await #expect(throws: DiscoveryError.self) { try await attempt(server) { $0.credentials = .file(wrong) } }
    await #expect(throws: DiscoveryError.self) { try await attempt(server) { $0.credentials = .none } }
    await #expect(throws: DiscoveryError.self) { try await attempt(server) { $0.credentials = .file("/nowhere.creds") } }
  }

  @Test func `a stranger who may write to one region reaches nobody in another`() async throws {
    func user(_ name: String, _ region: String) -> String {
      """
      { user: \(name), password: p, permissions: {
        publish: ["$KV.bonjourish.\(region).>", "$JS.API.STREAM.INFO.KV_bonjourish", "$JS.API.CONSUMER.CREATE.KV_bonjourish",
          "$JS.API.DIRECT.GET.KV_bonjourish.>", "$JS.FC.KV_bonjourish.>"], subscribe: "_INBOX.>" } }
      """
    }
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        authorization: { users: [ { user: operator, password: p }, \(user("host", "eu")), \(user("stranger", "open")) ] }
        """)
    func bonjour(_ name: String, _ region: String) async throws -> Bonjour {
      try await Bonjour(server) { configuration in
        configuration.credentials = .password(user: name, "p")
        configuration.region = region
      }
    }
    // Makes the bucket.
    #expect(try await bonjour("operator", "eu").services(of: "_game._tcp").isEmpty)
    let (host, stranger, open) = try await (bonjour("host", "eu"), bonjour("stranger", "eu"), bonjour("stranger", "open"))
    try await host.withPublishedService(named: "Real", type: "_game._tcp", port: 1) { _ in
      try await open.withPublishedService(named: "Open", type: "_game._tcp", port: 1) { _ in
        let names = try await open.services(of: "_game._tcp").map(\.instance.name)
        #expect(names == ["Open"])
        let error = await #expect(throws: DiscoveryError.self) {
          try await stranger.withPublishedService(named: "False", type: "_game._tcp", port: 1) { _ in }
        }
        #expect(error?.code == .notPermitted)
        #expect(try await host.services(of: "_game._tcp").map(\.instance.name) == ["Real"])
      }
    }
  }

  @Test func `a server that wants certificates lets in who has one of its authority`() async throws {
    for name in ["authority", "stranger"] {
      try openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1", "-subj", "/CN=\(name)",
        "-keyout", path("\(name).key"), "-out", path("\(name).pem"))
    }
    try certify("server", by: "authority", "subjectAltName=IP:127.0.0.1")
    try certify("user", by: "authority", "extendedKeyUsage=clientAuth")
    try certify("impostor", by: "stranger", "extendedKeyUsage=clientAuth")
    let server = try await NATSServer(
      settings: """
        jetstream: enabled
        tls: { cert_file: "\(path("server.pem"))", key_file: "\(path("server.key"))", ca_file: "\(path("authority.pem"))",
          verify: true }
        """)
    func attempt(as name: String?) async throws {
      try await self.attempt(server) { configuration in
        configuration.authorities = path("authority.pem")
        configuration.certificate = name.map { (path("\($0).pem"), path("\($0).key")) }
      }
    }
    try await attempt(as: "user")
    for name in [nil, "impostor"] {
      let error = await #expect(throws: DiscoveryError.self) { try await attempt(as: name) }
      print("a certificate that is refused: \(error?.code.description ?? "") \(error?.message ?? "")")
      #expect(error?.message.contains(".c:") == false)
    }
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func openssl(_ arguments: String...) throws {
    let (code, _, errors) = try ChildProcess.run("/usr/bin/openssl", arguments)
    try #require(code == 0, "\(String(decoding: errors, as: UTF8.self))")
  }

  /// Makes a key and a certificate of an authority for it.
  private func certify(_ name: String, by authority: String, _ extensions: String) throws {
    let settings = try write(extensions + "\n", "\(name).txt")
    try openssl(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)", "-keyout",
      path("\(name).key"), "-out", path("\(name).csr"))
    try openssl(
      "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem"), "-CAkey", path("\(authority).key"),
      "-CAcreateserial", "-days", "1", "-extfile", settings, "-out", path("\(name).pem"))
  }
}
