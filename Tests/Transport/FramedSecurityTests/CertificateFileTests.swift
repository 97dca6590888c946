import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing

@testable import FramedSecurity

/// Certificates and keys that other programs have put into files.
@Suite struct CertificateFileTests {
  private let folder: TemporaryFolder
  private let made: TestCertificate

  init() throws {
    folder = try TemporaryFolder()
    made = try TestCertificate()
    put(made.certificate, "chain", mode: 0o644)
    put(made.privateKey, "key", mode: 0o600)
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func put(_ text: String, _ name: String, mode: mode_t = 0o640) {
    let descriptor = linux_open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    chmod(path(name), mode)
  }

  private func error(_ chain: String = "chain", _ key: String = "key") throws -> TransportError {
    try #require(
      #expect(throws: TransportError.self) { try Identity(certificateFile: path(chain), privateKeyFile: path(key)) })
  }

  @Test func `certificates and their key are read, also by links and by a group`() throws {
    symlink(path("chain"), path("link"))
    chmod(path("key"), 0o640)
    let identity = try Identity(certificateFile: path("link"), privateKeyFile: path("key"))
    #expect(try identity.fingerprint == made.identity().fingerprint)
  }

  @Test func `a file that is missing or is no file is named`() throws {
    let missing = try error("none")
    #expect(missing.code == .unusableKey && missing.errno == ENOENT && missing.underlyingError != nil)
    #expect(missing.message.contains(path("none")))
    #expect(try error("chain", "nothing").message.contains(path("nothing")))
    mkdir(path("folder"), 0o700)
    #expect(try error("folder").message.contains("\(path("folder")) is no ordinary file"))
    mkfifo(path("fifo"), 0o600)
    #expect(try error("chain", "fifo").message.contains("\(path("fifo")) is no ordinary file"))
  }

  @Test func `a key that everybody may read is refused`() throws {
    chmod(path("key"), 0o644)
    let error = try error()
    #expect(error.code == .unusableKey && error.message.contains("chmod o-r \(path("key"))"))
  }

  @Test func `what is not a certificate or not a key says so of its file`() throws {
    put("hello", "text")
    #expect(try error("text").message.hasPrefix("\(path("text")) has no certificate in PEM"))
    #expect(try error("key").message.hasPrefix("\(path("key")) has no certificate in PEM"))
    #expect(try error("chain", "text").message.hasPrefix("\(path("text")) has no private key in PEM"))
    put(String(repeating: "a", count: 200_000), "large")
    #expect(try error("large").message.contains("\(path("large")) has more than 131072 bytes"))
  }

  @Test func `a key of another certificate is refused, and both files are named`() throws {
    put(try TestCertificate().privateKey, "other")
    let error = try error("chain", "other")
    #expect(error.code == .unusableKey && error.message.contains(path("other")) && error.message.contains(path("chain")))
  }

  @Test func `a certificate for tests is for the names that were given`() throws {
    #expect(throws: TransportError.self) { try TestCertificate(for: []) }
    #expect(throws: TransportError.self) { try TestCertificate(for: ["a,DNS:b"]) }
    put(try TestCertificate(for: ["printer.example", "192.0.2.1"]).certificate, "named")
    let result = try ChildProcess.run(
      "/usr/bin/openssl", ["x509", "-in", path("named"), "-noout", "-ext", "subjectAltName"])
    let names = String(decoding: result.output, as: UTF8.self)
    #expect(names.contains("DNS:printer.example") && names.contains("IP Address:192.0.2.1"), "\(names)")
  }
}
