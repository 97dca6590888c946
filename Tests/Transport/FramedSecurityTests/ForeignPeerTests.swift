import Foundation
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedSecurity

/// Programs of others at the other end: openssl, with older and newer TLS.
@Suite(.timeLimit(.minutes(2))) struct ForeignPeerTests {
  private let identity: Identity
  private let folder: TemporaryFolder

  init() throws {
    identity = try Identity.ephemeral()
    folder = try TemporaryFolder()
  }

  /// Runs openssl's client against a listener.
  private func client(_ options: String, at listener: Listener) async throws -> (code: Int32, said: String) {
    let command = "printf '\\0\\0\\0\\003abc' | timeout 20 openssl s_client -connect 127.0.0.1:\(listener.port) \(options) 2>&1"
    let result = try await blocking { try ChildProcess.run("/bin/sh", ["-c", command]) }
    return (result.code, String(decoding: result.output, as: UTF8.self))
  }

  @Test(arguments: ["-tls1_2", "-tls1_1", "-no_tls1_3"]) func `an older TLS is refused by a listener`(option: String)
    async throws
  {
    for security in [ListenerSecurity.certificate(identity), .encrypted(identity), .passcode("1234", identity: identity)] {
      try await withListener(security) { listener in
        let (code, said) = try await client(option, at: listener)
        #expect(code != 0, "\(said)")
        #expect(listener.metrics.admitted == 0)
      }
    }
  }

  @Test func `openssl's client speaks frames with a listener of plain TLS`() async throws {
    try await withListener(.certificate(identity)) { listener in
      async let peer = client("-tls1_3 -quiet -no_ign_eof", at: listener)
      let connection = try await listener.accept()
      #expect(try await connection.next() == Array("abc".utf8))
      #expect(connection.securityDetails?.ownKey == identity.fingerprint)
      await connection.close()
      _ = try await peer
    }
  }

  @Test func `tickets are not given, and a second connection is a new one`() async throws {
    try await withListener(.certificate(identity)) { listener in
      async let peer = client("-tls1_3 -no_ign_eof -sess_out '\(folder.path)/session'", at: listener)
      let connection = try await listener.accept()
      #expect(try await connection.next() != nil)
      await connection.close()
      let said = try await peer.said
      #expect(said.contains("TLSv1.3") && !said.contains("Post-Handshake New Session Ticket"))
      #expect(!said.contains("Early data was accepted"))
    }
  }

  @Test func `a server with an older TLS is refused by a client`() async throws {
    _ = try Identity.stored(at: "\(folder.path)/key")
    let make = "openssl req -x509 -new -key '\(folder.path)/key' -subj /CN=x -days 2 -out '\(folder.path)/crt'"
    #expect(try ChildProcess.run("/bin/sh", ["-c", make]).code == 0)
    for (option, expected) in [("-tls1_2", TransportError.Code.tlsVersion), ("-tls1_3", .handshakeFailed)] {
      let server = try ChildProcess(
        "/usr/bin/openssl",
        [
          "s_server", "-accept", "127.0.0.1:0", "-key", "\(folder.path)/key", "-cert", "\(folder.path)/crt", option, "-naccept",
          "1",
        ])
      defer { server.signal(9) }
      let output = server.output
      // "ACCEPT 127.0.0.1:40111"
      let port = try await blocking { () -> UInt16 in
        var text = ""
        while true {
          text += String(decoding: output.availableData, as: UTF8.self)
          if let start = text.firstRange(of: "ACCEPT 127.0.0.1:"), let end = text[start.upperBound...].firstIndex(of: "\n") {
            return UInt16(text[start.upperBound..<end]) ?? 0
          }
        }
      }
      let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
      let error = await #expect(throws: TransportError.self) {
        try await Connection.connect(to: [address], limits: .untimed, security: .anyKey())
      }
      #expect(error?.code == expected, "\(error?.message ?? "")")
    }
  }
}
