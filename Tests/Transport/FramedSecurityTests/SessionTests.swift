import CFramedOpenSSL
import Testing

@testable import FramedSecurity

/// TLS without I/O: what one side says is carried to the other by the test, changed or not.
@Suite struct SessionTests {
  private let identity: Identity
  private let server: TLSContext
  private let client: TLSContext

  init() throws {
    identity = try Identity.ephemeral()
    server = try TLSContext(.server, identity: identity, protocolNames: ["test"])
    client = try TLSContext(.client, identity: nil, protocolNames: ["test"])
  }

  /// Two sides after the handshake.
  private func pair(pieces: Int = .max) throws -> (client: SessionSide, server: SessionSide) {
    let (left, right) = (try SessionSide(client), try SessionSide(server))
    left.work()
    for _ in 0..<10 where !(left.isReady && right.isReady) {
      for (from, to) in [(left, right), (right, left)] {
        let bytes = from.say()
        for start in stride(from: 0, to: bytes.count, by: min(pieces, max(1, bytes.count))) {
          to.hear(bytes[start..<min(start + min(pieces, bytes.count), bytes.count)])
        }
      }
    }
    try #require(left.isReady && right.isReady)
    return (left, right)
  }

  @Test func `a handshake that comes byte by byte is one`() throws {
    let (client, server) = try pair(pieces: 1)
    for byte in client.send(Array("hello".utf8)) { server.hear([byte]) }
    #expect(server.plain == Array("hello".utf8))
    #expect(client.session.peerKey == identity.fingerprint)
    #expect(server.session.peerKey == nil)
    #expect(client.session.applicationProtocol == Array("test".utf8))
  }

  @Test func `both ends export one secret, and other connections others`() throws {
    let (client, server) = try pair()
    let binding = try #require(client.session.exportBinding())
    #expect(binding.value(for: "a").equals(try #require(server.session.exportBinding()).value(for: "a")))
    #expect(!binding.value(for: "a").equals(binding.value(for: "b")))
    #expect(!binding.value(for: "a").equals(binding.value(for: "a", [0])))
    let (other, _) = try pair()
    #expect(!binding.value(for: "a").equals(try #require(other.session.exportBinding()).value(for: "a")))
  }

  @Test func `an end without a goodbye is told apart from one with it`() throws {
    var (client, server) = try pair()
    server.hear(client.send([1, 2, 3]))
    server.end()
    #expect(server.plain == [1, 2, 3] && server.failure == .truncated)

    (client, server) = try pair()
    let bytes = client.send([1, 2, 3])
    client.session.finishWriting()
    server.hear(bytes + client.say())
    #expect(server.plain == [1, 2, 3] && server.outcome == .ended)
    // The other direction goes on.
    client.hear(server.send([4]))
    #expect(client.plain == [4])
    server.end()
    #expect(server.outcome == .ended)
  }

  @Test func `a stream that is cut inside a record is truncated`() throws {
    let bytes = try pair().client.send([1, 2, 3]).count
    for count in 1..<bytes {
      let (client, server) = try pair()
      server.hear(client.send([1, 2, 3]).prefix(count))
      server.end()
      #expect(server.plain == [] && server.failure == .truncated)
    }
  }

  @Test func `a record with any bit changed is refused`() throws {
    let size = try pair().client.send(Array("secret".utf8)).count
    for place in 0..<size {
      let (client, server) = try pair()
      var bytes = client.send(Array("secret".utf8))
      bytes[place] ^= 1 << UInt8(place % 8)
      server.hear(bytes)
      server.end()
      #expect(server.plain == [] && server.failure != nil, "byte \(place)")
    }
  }

  @Test func `a record that comes again, late or to its sender is refused`() throws {
    var (client, server) = try pair()
    let first = client.send([1])
    server.hear(first + first)
    #expect(server.plain == [1] && server.failure == .tampered)

    (client, server) = try pair()
    let (one, two) = (client.send([1]), client.send([2]))
    server.hear(two + one)
    #expect(server.plain == [] && server.failure == .tampered)

    (client, server) = try pair()
    client.hear(client.send([1]))
    #expect(client.plain == [] && client.failure == .tampered)

    // The goodbye of one direction does not end the other.
    (client, server) = try pair()
    client.session.finishWriting()
    client.hear(client.say())
    #expect(client.failure == .tampered)
  }

  /// After CVE-2024-3297 (Matter): a first message that is sent again.
  @Test func `a handshake of another connection, or our own, is refused`() throws {
    let recorded = try SessionSide(client)
    recorded.work()
    let hello = recorded.say()
    // The client's own first message.
    let reflected = try SessionSide(client)
    reflected.work()
    reflected.hear(reflected.say())
    #expect(reflected.failure != nil && !reflected.isReady)
    // A server's answer to somebody else.
    let other = try SessionSide(server)
    other.hear(hello)
    let fresh = try SessionSide(client)
    fresh.work()
    fresh.hear(other.say())
    #expect(fresh.failure != nil && !fresh.isReady)
    // A first message that comes again begins a new handshake, which its sender alone could end.
    let again = try SessionSide(server)
    again.hear(hello)
    again.hear(hello)
    #expect(again.failure != nil && !again.isReady)
  }

  @Test func `sides without a common protocol do not meet`() throws {
    let other = try TLSContext(.client, identity: nil, protocolNames: ["tes"])
    let (left, right) = (try SessionSide(other), try SessionSide(server))
    left.work()
    right.hear(left.say())
    #expect(right.failure == .noCommonProtocol)
    left.hear(right.say())
    #expect(left.failure == .noCommonProtocol)
  }

  /// After CVE-2026-0073 (adb): see also `PinnedKeyTests`.
  @Test func `a key that is not accepted ends the handshake before anything is sent`() throws {
    let (left, right) = (try SessionSide(client), try SessionSide(server))
    var asked: KeyFingerprint?
    left.session.decideOnKey = {
      asked = $0
      return false
    }
    left.work()
    right.hear(left.say())
    left.hear(right.say())
    #expect(asked == identity.fingerprint && left.failure == .certificateRefused)
    // What is told here and to the peer: it was this side's own decision.
    #expect(SSL_get_verify_result(left.session.ssl) == Int(X509_V_ERR_APPLICATION_VERIFICATION))
    right.hear(left.say())
    #expect(right.failure != nil && !right.isReady)
    #expect(openssl_reason(try #require(right.session.libraryError).code) == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE)
  }

  /// What another part of the program has left undone on this thread is not this connection's.
  @Test func `an error that somebody has left in the library disturbs no session`() throws {
    func leaveError() {
      let bio = BIO_new(BIO_s_mem())
      #expect(PEM_read_bio_X509(bio, nil, nil, nil) == nil && ERR_peek_error() != 0)
      BIO_free(bio)
    }
    leaveError()
    let (left, right) = (try SessionSide(client), try SessionSide(server))
    for _ in 0..<4 {
      for (from, to) in [(left, right), (right, left)] {
        leaveError()
        from.work()
        leaveError()
        to.hear(from.say())
      }
    }
    #expect(left.isReady && right.isReady && left.failure == nil && right.failure == nil)
    let record = [UInt8](repeating: 7, count: TLSSession.recordSize)
    var outcome = TLSSession.Outcome.done
    for _ in 0..<40 where outcome == .done {
      leaveError()
      outcome = record.withUnsafeBytes { left.session.write($0) }
    }
    #expect(outcome == .wantsRoom)
    leaveError()
    right.session.finishWriting()
    #expect(ERR_peek_error() == 0)
    leaveError()
    left.hear(right.say())
    #expect(left.outcome == .ended)
  }

  @Test func `a client's key is known to the server`() throws {
    let own = try Identity.ephemeral()
    let left = try SessionSide(TLSContext(.client, identity: own, protocolNames: ["test"]))
    let right = try SessionSide(server)
    left.work()
    for _ in 0..<4 {
      right.hear(left.say())
      left.hear(right.say())
    }
    #expect(left.isReady && right.isReady && right.session.peerKey == own.fingerprint)
  }

  @Test func `bytes that are no TLS are refused as such`() throws {
    for text in ["GET / HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "\0\0\0\u{5}hello and more"] {
      let side = try SessionSide(server)
      side.hear(Array(text.utf8))
      #expect(side.failure == .notEncrypted, "\(text)")
    }
  }

  @Test func `random bytes are refused, wherever they come`() throws {
    for length in [1, 5, 6, 50, 3_000, 20_000] {
      for _ in 0..<20 {
        let bytes = SecretBytes.random(count: length).exposed
        for side in [try SessionSide(server), try SessionSide(client), try pair().client, try pair().server] {
          side.work()
          side.hear(bytes)
          side.end()
          #expect(side.failure != nil && side.plain == [])
        }
      }
    }
  }

  @Test func `a session whose output nobody takes waits for room`() throws {
    let (_, server) = try pair()
    var outcome = TLSSession.Outcome.done
    let record = [UInt8](repeating: 7, count: TLSSession.recordSize)
    for _ in 0..<40 where outcome == .done { outcome = record.withUnsafeBytes { server.session.write($0) } }
    #expect(outcome == .wantsRoom && server.session.output.count < 400_000)
  }

  /// RFC 8446, section 5.2: a record holds up to 2^14 bytes, and 22 more with its header, its kind and its tag.
  @Test func `a record is as large as the standard permits`() throws {
    let (client, server) = try pair()
    for count in [1, TLSSession.recordSize] {
      let bytes = [UInt8](repeating: 7, count: count)
      let record = client.send(bytes)
      #expect(record.count == count + 22 && record[0] == 23)
      server.hear(record)
      #expect(server.plain == bytes)
      server.plain = []
    }
    #expect(TLSSession.recordSize == 16_384)
  }

  @Test func `new keys are given a few times for each mebibyte of data`() throws {
    let (client, server) = try pair()
    func ask(_ count: Int) -> Int {
      for number in 0..<count {
        #expect(SSL_key_update(client.session.ssl, SSL_KEY_UPDATE_REQUESTED) == 1)
        server.hear(client.send([1]))
        // The answers need no answer.
        client.hear(server.say())
        guard server.outcome == .wantsInput else { return number }
      }
      return count
    }
    #expect(ask(RecordAllowance.most) == RecordAllowance.most)
    for _ in 0..<RecordAllowance.bytesOfRecord / TLSSession.recordSize * 3 {
      server.hear(client.send([UInt8](repeating: 1, count: TLSSession.recordSize)))
    }
    #expect(ask(100) == 3)
    #expect(server.failure == .excessive)
    server.hear(client.send([1]))
    #expect(server.failure == .excessive, "it stays so")
  }

  @Test func `a session reads as many records as it may, and goes on from there`() throws {
    let (client, server) = try pair()
    server.session.recordsLeft = 3
    server.hear((1...5).flatMap { client.send([$0]) })
    #expect(server.plain == [1, 2, 3] && server.outcome == .wantsInput && server.session.recordsLeft == 0)
    server.session.hasInputEnded = true
    server.work()
    #expect(server.plain == [1, 2, 3] && server.outcome == .wantsInput, "what waits is no end")
    server.session.recordsLeft = 10
    server.work()
    #expect(server.plain == [1, 2, 3, 4, 5] && server.failure == .truncated)
  }
}
