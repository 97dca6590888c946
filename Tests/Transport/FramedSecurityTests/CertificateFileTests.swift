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
    for (name, certificate, key) in [("large", "large", "key"), ("large key", "chain", "large key")] {
      put(String(repeating: "a", count: 131_073), name)
      let limit = name == "large" ? 131_072 : 16_384
      #expect(try error(certificate, key).message.contains("\(path(name)) has more than \(limit) bytes"))
    }
  }

  @Test func `files may be as large as their limits, and a chain has at most sixteen certificates`() throws {
    put(made.certificate.padded(to: 131_072), "chain")
    put(made.privateKey.padded(to: 16_384), "key", mode: 0o600)
    #expect(try Identity(certificateFile: path("chain"), privateKeyFile: path("key")).chain.count == 1)
    for (count, read) in [(16, 16), (17, 16)] {
      put(String(repeating: made.certificate, count: count), "chain")
      #expect(try Identity(certificateFile: path("chain"), privateKeyFile: path("key")).chain.count == read)
    }
  }

  @Test func `a key of another certificate is refused, and both files are named`() throws {
    put(try TestCertificate().privateKey, "other")
    let error = try error("chain", "other")
    #expect(error.code == .unusableKey && error.message.contains(path("other")) && error.message.contains(path("chain")))
  }

  @Test func `a certificate for tests is for the names that were given`() throws {
    #expect(throws: TransportError.self) { try TestCertificate(for: []) }
    let fitting = [(1, "a"), (126, "b"), (253, "c")].map { String(repeating: $1, count: $0) }
    for names in [["a,DNS:b"], ["a\\b"], ["a b"], ["a\u{7F}"], ["é"], [""], [String(repeating: "a", count: 254)]] {
      #expect(throws: TransportError.self) { try TestCertificate(for: names) }
    }
    #expect(throws: Never.self) { try TestCertificate(for: fitting + (1...13).map { "host\($0)" }) }
    #expect(throws: TransportError.self) { try TestCertificate(for: (1...17).map { "host\($0)" }) }
    put(try TestCertificate(for: ["printer.example", "192.0.2.1"]).certificate, "named")
    let result = try ChildProcess.run(
      "/usr/bin/openssl", ["x509", "-in", path("named"), "-noout", "-text"])
    let text = String(decoding: result.output, as: UTF8.self)
    for part in [
      "DNS:printer.example", "IP Address:192.0.2.1", "Version: 3 (0x2)", "CA:TRUE, pathlen:0",
      "Digital Signature, Certificate Sign", "TLS Web Server Authentication", "X509v3 Subject Key Identifier",
      "Certificate for tests",
    ] {
      #expect(text.contains(part), "\(text)")
    }
    // For a day, of which an hour is over; and it does not take an hour to get here.
    for (seconds, code) in [(82_000, 0), (86_401, 1)] {
      let check = try ChildProcess.run(
        "/usr/bin/openssl", ["x509", "-in", path("named"), "-noout", "-checkend", "\(seconds)"])
      #expect(check.code == code)
    }
  }
}

extension String {
  /// The text with empty lines after it.
  fileprivate func padded(to count: Int) -> String { self + String(repeating: "\n", count: count - utf8.count) }
}
