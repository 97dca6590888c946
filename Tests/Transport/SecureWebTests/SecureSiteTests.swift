import Foundation
import FramedSecurity
import FramedTransport
import FramedWebSockets
import TestSupport
import Testing
import TransportTestSupport

/// Sites and WebSockets over TLS: `https` and `wss`.
@Suite(.timeLimit(.minutes(2))) struct SecureSiteTests {
  private let certificate: TestCertificate
  private let server: ListenerSecurity

  init() throws {
    certificate = try TestCertificate()
    server = .certificate(try certificate.identity()).serving(Self.site)
  }

  private static let site = WebSite(
    files: ["/": WebFile("text/html; charset=utf-8", "<!doctype html><title>24</title>")],
    handlers: ["/health": { _ in .json(Array(#"{"isHealthy":true}"#.utf8)) }])

  private func client(_ messages: WebSocketMessages = .text, target: String = "/socket") throws -> ConnectionSecurity {
    try .certificate(for: "localhost", authorities: certificate.certificate)
      .webSocket(host: "localhost", target: target, messages: messages)
  }

  private func echo(_ listener: Listener) async {
    await listener.serve { connection in
      do { for try await frame in connection.frames { try await connection.send(frame) } } catch {}
    }
  }

  // MARK: - Programs of ours

  @Test func `a guest who has given the passcode to a site is known by the key afterwards`() async throws {
    let (guests, hosts) = (PinStore(), PinStore())
    let host = ListenerSecurity.passcode(
      PasscodeGuard("471123"), service: "_x._tcp", or: .known(guests), identity: try Identity.ephemeral()
    ).serving(Self.site)
    let own = try Identity.ephemeral()
    func guest(_ passcode: Passcode?) throws -> ConnectionSecurity {
      try .passcode(passcode, service: "_x._tcp", or: .known(hosts, name: "Ada's room"), identity: own)
        .webSocket(host: "localhost", target: "/socket", messages: .text)
    }
    try await withListener(host) { listener in
      for (passcode, isFirst) in [("471123", true), (nil, false)] as [(Passcode?, Bool)] {
        let client = try await listener.reach(try guest(passcode))
        let server = try await listener.accept()
        #expect(server.securityDetails?.isPasscodeProved == isFirst && server.webDetails?.target == "/socket")
        #expect(guests.contains(own.fingerprint))
        client.abort()
      }
    }
  }

  @Test func `a WebSocket over TLS carries frames, and has the details of both`() async throws {
    try await withPair(server, try client(target: "/socket?token=9Q2")) { client, server in
      #expect(server.webDetails?.parameter("token") == "9Q2" && client.webDetails?.target == "/socket?token=9Q2")
      let key = try certificate.identity().fingerprint
      #expect(client.securityDetails?.peerKey == key && server.securityDetails?.ownKey == key)
      for size in [0, 1, 125, 126, 65_536] {
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: size)
        try await client.send(body)
        #expect(try await server.next() == body)
        try await server.send(body)
        #expect(try await client.next() == body)
      }
      await server.close(.policyViolation, "no such room")
      let error = await #expect(throws: TransportError.self) { _ = try await client.next() }
      #expect(error?.webSocketClose == WebSocketClose(.policyViolation, "no such room"))
    }
  }

  @Test func `a site whose certificate is renewed shows the new one, without a restart`() async throws {
    let folder = try TemporaryFolder()
    func put(_ made: TestCertificate) throws {
      for (name, text) in [("chain", made.certificate), ("key", made.privateKey)] {
        let path = "\(folder.path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      }
    }
    try put(certificate)
    let files = try ListenerSecurity.certificate(
      certificateFile: "\(folder.path)/chain", privateKeyFile: "\(folder.path)/key")
    try await withListener(files.serving(Self.site)) { listener in
      let before = try await listener.reach(try client())
      let renewed = try TestCertificate()
      try put(renewed)
      let new = try ConnectionSecurity.certificate(for: "localhost", authorities: renewed.certificate)
      let after = try await listener.reach(try new.webSocket(host: "localhost", messages: .text))
      #expect(try after.securityDetails?.peerKey == renewed.identity().fingerprint)
      await #expect(throws: TransportError.self) { _ = try await listener.reach(try client()) }
      let server = try await listener.accept()
      try await before.send(Array("still here".utf8))
      #expect(try await server.next() == Array("still here".utf8))
      before.abort()
      after.abort()
    }
  }

  @Test func `a peer without a WebSocket sends its frames over TLS on the same port`() async throws {
    let plain = try ConnectionSecurity.certificate(for: "localhost", authorities: certificate.certificate)
    try await withListener(server) { listener in
      let client = try await listener.reach(plain)
      try await client.send([0, 1, 2, 0xFF])
      let accepted = try await listener.accept()
      #expect(try await accepted.next() == [0, 1, 2, 0xFF])
      #expect(accepted.webDetails == nil && accepted.securityDetails != nil)
      try await accepted.send([3])
      #expect(try await client.next() == [3])
      await client.close()
      #expect(try await accepted.next() == nil)
    }
  }

  @Test func `a group sends to WebSockets over TLS`() async throws {
    try await withPair(server, try client()) { client, server in
      let group = Group()
      group.add(server)
      for number in 0..<200 { try await group.broadcast(Array("\(number)".utf8)) }
      for number in 0..<200 { #expect(try await client.next() == Array("\(number)".utf8)) }
    }
  }

  @Test func `a client that expects another name or authority refuses, and the listener counts it`() async throws {
    let other = try TestCertificate()
    let wrong = [
      try ConnectionSecurity.certificate(for: "localhost", authorities: other.certificate),
      try .certificate(for: "example.com", authorities: certificate.certificate),
    ]
    try await withListener(server) { listener in
      for security in wrong {
        let error = await #expect(throws: TransportError.self) {
          _ = try await listener.reach(try security.webSocket(host: "localhost"))
        }
        #expect(error?.code == .untrustedCertificate)
      }
      let plain = await #expect(throws: TransportError.self) {
        _ = try await listener.reach(try .webSocket(host: "localhost"))
      }
      #expect(plain?.code != nil)
      try await until { listener.metrics.securityFailures[.notEncrypted] == 1 }
      // Each is tried at both addresses of the loopback interface.
      try await until { listener.metrics.securityFailures[.handshakeFailed] == 2 * listener.addresses.count }
    }
  }

  @Test func `a server that refuses is heard over TLS`() async throws {
    try await withListener(server) { listener in
      let error = await #expect(throws: TransportError.self) { _ = try await listener.reach(try client(target: "/other")) }
      #expect(error?.code == .webSocketRefused && error?.httpStatus == 404)
    }
  }

  @Test func `a passcode protects a WebSocket between programs of ours`() async throws {
    let server = ListenerSecurity.passcode("9Q2-K4", identity: try .ephemeral()).serving(Self.site)
    try await withPair(server, try .passcode("9Q2-K4").webSocket(host: "localhost")) { client, server in
      #expect(server.securityDetails?.isPasscodeProved == true && server.webDetails != nil)
      try await client.send(Array("in".utf8))
      #expect(try await server.next() == Array("in".utf8))
    }
  }

  @Test func `the first key is kept over a WebSocket, too`() async throws {
    let folder = try TemporaryFolder()
    let store = try PinStore(at: "\(folder.path)/keys")
    let identity = try Identity.ephemeral()
    let client = try ConnectionSecurity.firstUse(store, name: "host").webSocket(host: "localhost")
    try await withPair(.encrypted(identity).serving(Self.site), client) { _, _ in
      #expect(store.key(of: "host") == identity.fingerprint)
    }
    #expect(try ConnectionSecurity.pinned(identity.fingerprint).webSocket(host: "localhost").acceptsOneKeyOnly)
  }

  // MARK: - Programs of others

  private func expect(_ output: String, _ arguments: String...) async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peers/secure.py").path
    let result = try await blocking {
      try ChildProcess.run("/usr/bin/timeout", ["60", "/usr/bin/python3", script] + arguments)
    }
    #expect(result.code == 0, "\(String(decoding: result.errors, as: UTF8.self))")
    #expect(String(decoding: result.output, as: UTF8.self) == output)
  }

  private func withAuthority(_ body: (Listener, String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/authority.pem"
    try certificate.certificate.write(toFile: path, atomically: true, encoding: .utf8)
    try await withListener(server) { listener in
      async let served: Void = echo(listener)
      try await body(listener, path)
      await listener.close()
      await served
    }
  }

  @Test func `Python's https client loads a page and a handler's answer`() async throws {
    try await withAuthority { listener, authority in
      let page = "200 <!doctype html><title>24</title> TLSv1.3\n"
      try await expect(page + page, "get", "\(listener.port)", authority, "/")
      let health = "200 {\"isHealthy\":true} TLSv1.3\n"
      try await expect(health + health, "get", "\(listener.port)", authority, "/health")
      try await expect("refused\n", "plain", "\(listener.port)", "/")
    }
  }

  @Test func `python3-websockets speaks wss with a listener of ours`() async throws {
    try await withAuthority { listener, authority in
      try await expect("done\n", "ask", "\(listener.port)", authority, "/socket")
    }
  }

  @Test func `openssl verifies the certificate, and gets a page whose policy names wss`() async throws {
    try await withAuthority { listener, authority in
      let command = """
        printf 'GET / HTTP/1.1\\r\\nHost: localhost:\(listener.port)\\r\\n\\r\\n' | timeout 20 openssl s_client -connect \
        127.0.0.1:\(listener.port) -quiet -ign_eof -verify_return_error -x509_strict -verify_hostname localhost \
        -CAfile '\(authority)' 2>&1
        """
      let result = try await blocking { try ChildProcess.run("/bin/sh", ["-c", command]) }
      let said = String(decoding: result.output, as: UTF8.self)
      #expect(result.code == 0 && said.contains("HTTP/1.1 200 OK\r\n"), "\(said)")
      #expect(said.contains("connect-src 'self' wss://localhost:\(listener.port);"), "\(said)")
    }
  }
}
