import CBonjourishLinux
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// Certificates in files that change while a listener uses them.
@Suite(.timeLimit(.minutes(1))) struct CertificateRenewalTests {
  private let folder: TemporaryFolder
  private let first: TestCertificate
  private let second: TestCertificate
  private let messages = Messages()

  private final class Messages: Sendable {
    private let all = Locked<[LogMessage]>([])

    var handler: @Sendable (LogMessage) -> Void { { message in self.all.withLock { $0.append(message) } } }

    func about(_ text: String) -> [LogMessage] { all.withLock { $0.filter { $0.text.contains(text) } } }
  }

  init() throws {
    folder = try TemporaryFolder()
    first = try TestCertificate()
    second = try TestCertificate()
    put(first)
  }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func put(_ text: String, _ name: String) {
    let descriptor = linux_open(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = Array(text.utf8).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  private func put(_ made: TestCertificate) {
    put(made.certificate, "chain")
    put(made.privateKey, "key")
  }

  private func replaceLink(_ link: String, by target: String) {
    symlink(path(target), path("new"))
    #expect(rename(path("new"), path(link)) == 0)
  }

  private func security(_ chain: String = "chain", _ key: String = "key") throws -> ListenerSecurity {
    try .certificate(certificateFile: path(chain), privateKeyFile: path(key))
  }

  private func withListener(_ security: ListenerSecurity, _ body: (Listener) async throws -> Void) async throws {
    let listener = try await Listener.bind(
      interface: "lo", limits: .untimed, pending: .unlimited, security: security, log: messages.handler)
    try await body(listener)
    await listener.close()
  }

  /// Whether a new connection gets a certificate.
  private func shows(_ listener: Listener, _ made: TestCertificate) async throws -> Bool {
    let key = try made.identity().fingerprint
    guard await listener.refusal(.certificate(pinned: key)) == nil else { return false }
    return await listener.refusal(try .certificate(for: "localhost", authorities: made.certificate)) == nil
  }

  @Test func `new connections get the new certificate, and open ones go on`() async throws {
    try await withListener(try security()) { listener in
      let client = try await listener.reach(try .certificate(for: "localhost", authorities: first.certificate))
      let server = try await listener.accept()
      #expect(try await shows(listener, first))
      put(second)
      #expect(try await shows(listener, second))
      #expect(try await !shows(listener, first))
      try await client.send([1])
      #expect(try await server.next() == [1])
      #expect(try server.securityDetails?.ownKey == first.identity().fingerprint)
      client.abort()
    }
    let told = messages.about("new connections get the certificates that \(path("chain")) has now")
    #expect(told.count == 1 && told.first?.level == .info && told.first?.source == "FramedSecurity")
    #expect(messages.about("read before").isEmpty)
  }

  @Test func `files that cannot be used keep the former certificate, and the log says why`() async throws {
    try await withListener(try security()) { listener in
      // As in the midst of a renewal.
      put(second.certificate, "chain")
      #expect(try await shows(listener, first))
      #expect(try await !shows(listener, second))
      let told = try #require(messages.about("is not that of the first certificate").first)
      #expect(told.level == .warning && told.text.contains(path("chain")) && told.text.contains("read before"))
      put(second.privateKey, "key")
      #expect(try await shows(listener, second))
      put("nothing of ours", "key")
      #expect(try await shows(listener, second))
      unlink(path("chain"))
      #expect(try await shows(listener, second))
      put(first)
      #expect(try await shows(listener, first))
    }
  }

  @Test func `a link that leads to another file is followed, as certbot has them`() async throws {
    put(second.certificate, "chain2")
    put(second.privateKey, "key2")
    symlink(path("chain"), path("live-chain"))
    symlink(path("key"), path("live-key"))
    try await withListener(try security("live-chain", "live-key")) { listener in
      let before = try await shows(listener, first)
      replaceLink("live-chain", by: "chain2")
      replaceLink("live-key", by: "key2")
      let after = try await shows(listener, second)
      #expect(before && after)
    }
  }

  @Test func `many connections at once during a renewal all get one of both certificates`() async throws {
    let (old, new) = (try first.identity().fingerprint, try second.identity().fingerprint)
    try await withListener(try security()) { listener in
      let seen = await withTaskGroup(of: KeyFingerprint?.self) { group in
        for number in 0..<30 {
          if number == 15 { put(second) }
          group.addTask {
            guard let error = await listener.refusal(.certificate(pinned: old)) else { return old }
            return error.keyChange?.presented
          }
        }
        return await group.reduce(into: [KeyFingerprint?]()) { $0.append($1) }
      }
      #expect(seen.count == 30 && seen.allSatisfy { $0 == old || $0 == new })
      let isRenewed = try await shows(listener, second)
      #expect(isRenewed)
    }
  }

  @Test func `files that cannot be used at the start are an error`() throws {
    put(second.privateKey, "key")
    let error = #expect(throws: TransportError.self) { _ = try security() }
    #expect(error?.code == .unusableKey && error?.message.contains(path("key")) == true)
    let missing = #expect(throws: TransportError.self) { _ = try security("none") }
    #expect(missing?.message.contains(path("none")) == true)
  }

  @Test func `files that have not changed are not read`() async throws {
    let layer = try #require(try security().layer as? CertificateLayer)
    let present = { layer.present.identity?.fingerprint }
    #expect(try present() == first.identity().fingerprint)
    put(second)
    // Right after a change another one could look the same, so they are read until some time has passed.
    while let update = layer.update { #expect(update.run(nil) == nil) }
    #expect(try present() == second.identity().fingerprint)
    let former = layer.present
    for _ in 0..<20 { #expect((layer.update == nil) && layer.present === former) }
    put(first)
    #expect(layer.update != nil)
  }

  @Test func `files that cannot be used, or are gone, are not read again before they change`() throws {
    let layer = try #require(try security().layer as? CertificateLayer)
    let spoilings: [() -> Void] = [{ put("nothing of ours", "key") }, { _ = unlink(path("key")) }]
    for spoil in spoilings {
      spoil()
      #expect(layer.update != nil)
      while let update = layer.update { #expect(update.run(nil) == nil) }
      #expect(try layer.present.identity?.fingerprint == first.identity().fingerprint)
    }
    put(second)
    while let update = layer.update { #expect(update.run(nil) == nil) }
    #expect(try layer.present.identity?.fingerprint == second.identity().fingerprint)
  }
}
