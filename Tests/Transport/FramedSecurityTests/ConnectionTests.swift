import Foundation
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// Encrypted connections over real sockets.
@Suite(.timeLimit(.minutes(2))) struct ConnectionTests {
  let identity: Identity
  private let folder: TemporaryFolder

  init() throws {
    identity = try Identity.ephemeral()
    folder = try TemporaryFolder()
  }

  @Test func `frames go both ways, and each side knows what was established`() async throws {
    try await withPair(.encrypted(identity), .anyKey()) { client, server in
      try await client.send(Array("hello".utf8))
      #expect(try await server.next() == Array("hello".utf8))
      try await server.send([])
      #expect(try await client.next() == [])
      let (ours, theirs) = try (#require(client.securityDetails), #require(server.securityDetails))
      #expect(ours.peerKey == identity.fingerprint && theirs.ownKey == identity.fingerprint)
      #expect(ours.ownKey == nil && theirs.peerKey == nil)
      #expect(ours.comparisonCode != nil && ours.comparisonCode == theirs.comparisonCode)
      #expect(!ours.isPasscodeProved)
      #expect(ours.channelBinding(for: "x") == theirs.channelBinding(for: "x"))
      #expect(ours.channelBinding(for: "x") != theirs.channelBinding(for: "y"))
      #expect(ours.channelBinding(for: "x").count == 32)
    }
  }

  @Test func `each connection has its own code and binding`() async throws {
    try await withListener(.encrypted(identity)) { listener in
      let one = try #require(try await listener.reach(.anyKey()).securityDetails)
      let two = try #require(try await listener.reach(.anyKey()).securityDetails)
      #expect(one.channelBinding(for: "x") != two.channelBinding(for: "x"))
    }
  }

  @Test func `a plaintext connection has no details`() async throws {
    try await withPair(.plaintext, .plaintext) { client, server in
      #expect(client.securityDetails == nil && server.securityDetails == nil)
    }
  }

  @Test func `a large exchange in both directions arrives whole and in order`() async throws {
    try await withPair(.encrypted(identity), .anyKey()) { client, server in
      @Sendable func exchange(_ connection: Connection, _ seed: Int) async throws {
        async let sent: Void = connection.send(
          contentsOf: (0..<600).lazy.map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0 &* seed), count: $0 * $0 % 60_001) })
        var frames = connection.frames.makeAsyncIterator()
        for index in 0..<600 {
          let frame = try await frames.next()
          #expect(frame?.count == index * index % 60_001)
          let byte = UInt8(truncatingIfNeeded: index &* (8 - seed))
          #expect(frame?.allSatisfy { $0 == byte } == true)
        }
        try await sent
      }
      async let there: Void = exchange(server, 5)
      try await exchange(client, 3)
      try await there
    }
  }

  @Test func `an orderly end is an end, and frames before it arrive`() async throws {
    try await withPair(.encrypted(identity), .anyKey()) { client, server in
      for index in 0..<100 { try await client.send([UInt8](repeating: UInt8(index), count: 5_000)) }
      async let closed: Void = client.close(within: .seconds(30))
      var count = 0
      for try await frame in server.frames where frame.count == 5_000 { count += 1 }
      #expect(count == 100)
      await server.close()
      await closed
    }
  }

  @Test func `one side can finish and go on receiving`() async throws {
    try await withPair(.encrypted(identity), .anyKey()) { client, server in
      try await client.send([1])
      client.finishSending()
      #expect(try await server.next() == [1])
      #expect(try await server.next() == nil)
      try await server.send([2])
      await server.close()
      #expect(try await client.next() == [2])
      #expect(try await client.next() == nil)
    }
  }

  @Test func `the expected key is accepted, and another is refused with both`() async throws {
    let other = try Identity.ephemeral().fingerprint
    try await withListener(.encrypted(identity)) { listener in
      _ = try await listener.reach(.pinned(identity.fingerprint))
      let error = await listener.refusal(.pinned(other))
      #expect(error?.code == .wrongKey)
      #expect(error?.keyChange?.known == other && error?.keyChange?.presented == identity.fingerprint)
    }
  }

  @Test func `a key is pinned at the first connection, and its change is refused`() async throws {
    let path = "\(folder.path)/pins"
    let store = try PinStore(at: path)
    try await withListener(.encrypted(identity)) { listener in
      _ = try await listener.reach(.firstUse(store, name: "Ada's room"))
      #expect(try PinStore(at: path).key(of: "Ada's room") == identity.fingerprint)
      _ = try await listener.reach(.firstUse(store, name: "Ada's room"))
    }
    let impostor = try Identity.ephemeral()
    try await withListener(.encrypted(impostor)) { listener in
      let error = await listener.refusal(.firstUse(store, name: "Ada's room"))
      #expect(error?.code == .keyChanged)
      #expect(
        error?.keyChange == KeyChange(name: "Ada's room", known: identity.fingerprint, presented: impostor.fingerprint))
      #expect(store.key(of: "Ada's room") == identity.fingerprint)
      _ = try await listener.reach(.firstUse(store, name: "Bob's room"))
      try store.forget("Ada's room")
      _ = try await listener.reach(.firstUse(store, name: "Ada's room"))
    }
  }

  @Test func `a pin that cannot be kept ends the connection`() async throws {
    let store = try PinStore(at: "\(folder.path)/missing/pins")
    try await withListener(.encrypted(identity)) { listener in
      #expect(await listener.refusal(.firstUse(store, name: "a"))?.message.contains("missing/pins") == true)
    }
  }

  @Test func `a client's key is told to the listener`() async throws {
    let own = try Identity.ephemeral()
    let securities: [ConnectionSecurity] = [
      .anyKey(identity: own), .pinned(identity.fingerprint, identity: own), .firstUse(PinStore(), name: "a", identity: own),
    ]
    for security in securities {
      try await withPair(.encrypted(identity), security) { client, server in
        #expect(server.securityDetails?.peerKey == own.fingerprint)
        #expect(client.securityDetails?.ownKey == own.fingerprint)
      }
    }
  }

  // MARK: - No fallback

  @Test func `sides that expect different security find out, and nothing is sent in the clear`() async throws {
    try await withListener(.passcode("471123", identity: identity)) { listener in
      #expect(await listener.refusal(.anyKey())?.code == .passcodeRequired)
      #expect(await listener.refusal(.pinned(identity.fingerprint))?.code == .passcodeRequired)
      // Plain TLS has no word for it: the client learns it when it reads, and the app never sees it.
      let client = try await listener.reach(.certificate(pinned: identity.fingerprint))
      await #expect(throws: TransportError.self) { try await client.next() }
      #expect(listener.metrics.admitted == 0)
    }
    try await withListener(.encrypted(identity)) { listener in
      #expect(await listener.refusal(.passcode("471123"))?.code == .passcodeNotAsked)
    }
    try await withListener(.certificate(identity)) { listener in
      #expect(await listener.refusal(.anyKey())?.code == .handshakeFailed)
      #expect(await listener.refusal(.passcode("471123"))?.code == .passcodeNotAsked)
      #expect(await listener.refusal(.certificate(pinned: identity.fingerprint)) == nil)
    }
  }

  @Test func `an encrypting client is refused by a plaintext listener, and the other way round`() async throws {
    try await withListener(.plaintext) { listener in
      async let served: Void = {
        // What it takes for a frame is none.
        for await connection in listener.connections { _ = try? await connection.next() }
      }()
      let error = await listener.refusal(.anyKey())
      #expect(error?.code == .handshakeFailed || error?.code == .reset)
      await listener.close()
      await served
    }
    try await withListener(.encrypted(identity)) { listener in
      let client = try await listener.reach(.plaintext)
      try await client.send(Array("hello".utf8))
      await #expect(throws: (any Error).self) {
        // An alert is no frame, or the connection is reset.
        while try await client.next() != nil {}
        throw TransportError(.closed, "the end is fine, too")
      }
      #expect(listener.metrics.admitted == 0)
    }
  }

  // MARK: - Certificates

  @Test func `a server is known by the name in its certificate, if the authority is trusted`() async throws {
    let authority = try certificate(subject: "/CN=authority", name: nil)
    let own = try certificate(subject: "/CN=localhost", name: "DNS:localhost,IP:127.0.0.1", by: authority)
    let identity = try Identity(certificateChain: own.certificate, privateKey: own.key)
    try await withListener(.certificate(identity)) { listener in
      let trusted = authority.certificate
      #expect(await listener.refusal(try .certificate(for: "localhost", authorities: trusted)) == nil)
      #expect(await listener.refusal(try .certificate(for: "127.0.0.1", authorities: trusted)) == nil)
      #expect(await listener.refusal(.certificate(pinned: identity.fingerprint)) == nil)
      #expect(await listener.refusal(try .certificate(for: "example.org", authorities: trusted))?.code == .untrustedCertificate)
      #expect(await listener.refusal(try .certificate(for: "127.0.0.2", authorities: trusted))?.code == .untrustedCertificate)
      #expect(await listener.refusal(try .certificate(for: "localhost"))?.code == .untrustedCertificate)
      let other = try certificate(subject: "/CN=other", name: nil).certificate
      #expect(await listener.refusal(try .certificate(for: "localhost", authorities: other))?.code == .untrustedCertificate)
      #expect(throws: TransportError.self) { try ConnectionSecurity.certificate(for: "localhost", authorities: "") }
    }
  }

  @Test func `a client shows a server of an authority its key`() async throws {
    let authority = try certificate(subject: "/CN=authority", name: nil)
    let own = try certificate(subject: "/CN=localhost", name: "DNS:localhost", by: authority)
    let (server, client) = (
      try Identity(certificateChain: own.certificate, privateKey: own.key), try Identity.ephemeral()
    )
    for identity in [client, nil] {
      let security = try ConnectionSecurity.certificate(
        for: "localhost", authorities: authority.certificate, identity: identity)
      for security in [security, .certificate(pinned: server.fingerprint, identity: identity)] {
        try await withPair(.certificate(server), security) { _, accepted in
          #expect(accepted.securityDetails?.peerKey == identity?.fingerprint)
        }
      }
    }
  }

  /// A certificate and its key in PEM.
  private func certificate(
    subject: String, name: String?, by authority: (certificate: String, key: String)? = nil
  ) throws -> (certificate: String, key: String) {
    let place = "\(folder.path)/\(subject.dropFirst(4))"
    var command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj '\(subject)' "
    command += "-keyout '\(place).key' -out '\(place).crt'"
    if let name { command += " -addext 'subjectAltName=\(name)' -addext basicConstraints=CA:false" }
    if authority != nil { command += " -CA '\(folder.path)/authority.crt' -CAkey '\(folder.path)/authority.key'" }
    let made = try ChildProcess.run("/bin/sh", ["-c", "\(command) 2>&1 && cat '\(place).crt'; cat '\(place).key' >&2"])
    #expect(made.code == 0)
    let text = String(decoding: made.output, as: UTF8.self)
    let start = try #require(text.firstRange(of: "-----BEGIN CERT")).lowerBound
    return (String(text[start...]), String(decoding: made.errors, as: UTF8.self))
  }
}
