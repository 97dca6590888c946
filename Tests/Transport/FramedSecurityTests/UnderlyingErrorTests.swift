import Foundation
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedSecurity
@testable import _BonjourishPrivateFiles

/// What the file or the library has said is behind an error; and which errors of this side are permanent.
@Suite(.timeLimit(.minutes(1))) struct UnderlyingErrorTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func refusal(_ body: () throws -> Void) throws -> TransportError {
    try #require(#expect(throws: TransportError.self) { try body() })
  }

  @Test func `behind the error of a file is what is wrong with it`() throws {
    let missing = try refusal { _ = try Identity.stored(at: folder.path + "/missing/key") }
    #expect((missing.underlyingError as? PrivateFileError)?.code == .unwritable)
    // A folder may come, a link stays what it is.
    #expect(!missing.isPermanent)
    symlink(folder.path + "/other", folder.path + "/link")
    for body in [{ _ = try Identity.stored(at: folder.path + "/link") }, { _ = try PinStore(at: folder.path + "/link") }] {
      let link = try refusal(body)
      #expect((link.underlyingError as? PrivateFileError)?.code == .notRegular && link.isPermanent)
    }
  }

  @Test func `what is wrong with a file stays so, but who has locked it may be done later`() {
    func error(_ error: PrivateFileError) -> TransportError { TransportError(error, .unusablePins, "Writing the keys") }
    let foreign = error(PrivateFileError(.foreign, "it is another user's"))
    #expect(
      foreign.code == .unusablePins && foreign.isPermanent && foreign.message == "Writing the keys failed: it is another user's"
    )
    let locked = error(PrivateFileError(.unwritable, "it is locked"))
    #expect(locked.code == .unusablePins && !locked.isPermanent)
    let refused = error(PrivateFileError(.unwritable, errno: EACCES, "it is not permitted"))
    #expect(refused.code == .notPermitted && refused.errno == EACCES)
  }

  @Test func `behind the error of a key is what the library has said`() throws {
    let path = folder.path + "/key"
    #expect(FileManager.default.createFile(atPath: path, contents: Data("hello".utf8), attributes: [.posixPermissions: 0o600]))
    let unreadable = try refusal { _ = try Identity.stored(at: path) }
    let cause = try #require(unreadable.underlyingError as? OpenSSLError)
    #expect(unreadable.code == .unusableKey && unreadable.isPermanent && cause.code != 0)
    #expect(cause.description.hasPrefix("OpenSSL error ") && cause.description.hasSuffix(cause.reason))
    // Nothing is left for the next error on this thread.
    #expect(OpenSSLError.take().code == 0)
    #expect(OpenSSLError(0).reason == "the TLS library gives no reason")
  }

  @Test func `behind the error of a handshake is what the library has said, and an error of this side ends reconnecting`()
    async throws
  {
    let identity = try Identity.ephemeral()
    try await withListener(.certificate(identity)) { listener in
      let stranger = await listener.refusal(try .certificate(for: "localhost"))
      #expect(stranger?.code == .untrustedCertificate)
      #expect((stranger?.underlyingError as? OpenSSLError)?.reason == "certificate verify failed")
    }
    let own = try Identity.made(["RSA", "rsa_keygen_bits:2048"], in: folder)
    try await withListener(.encrypted(identity)) { listener in
      let addresses = listener.addresses
      let connections = Reconnections {
        try await Connection.connect(to: addresses, limits: .untimed, security: .anyKey(identity: own))
      }
      let error = await #expect(throws: TransportError.self) { for try await _ in connections {} }
      #expect(error?.code == .unusableKey)
    }
  }
}
