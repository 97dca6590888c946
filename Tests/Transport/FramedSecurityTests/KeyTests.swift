import CBonjourishLinux
import CFramedOpenSSL
import FramedTransport
import TestSupport
import Testing
import _BonjourishEventLoop
import _BonjourishPrivateFiles

@testable import FramedSecurity

@Suite struct KeyTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    lstat(path, &status)
    return status.st_mode
  }

  private func put(_ bytes: [UInt8], _ path: String, mode: mode_t = 0o600) {
    let descriptor = linux_open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    chmod(path, mode)
  }

  private func names() throws -> [String] { try listFolder(folder.path).sorted() }

  // MARK: - Fingerprints

  @Test func `a fingerprint is read as it was written, in any case and grouping`() throws {
    let fingerprint = try Identity.ephemeral().fingerprint
    let text = "\(fingerprint)"
    #expect(text.count == 52 + 12)
    #expect(KeyFingerprint(text) == fingerprint)
    #expect(KeyFingerprint(text.uppercased()) == fingerprint)
    #expect(KeyFingerprint(text.filter { $0 != "-" }) == fingerprint)
    #expect(text.hasPrefix(fingerprint.short) && fingerprint.short.count == 19)
    #expect(KeyFingerprint(String(text.dropLast())) == nil)
    #expect(KeyFingerprint(text + "a") == nil)
    #expect(KeyFingerprint("") == nil)
    #expect(KeyFingerprint([1, 2, 3]) == nil)
  }

  @Test func `base 32 is that of the RFC`() {
    let pairs = [("", ""), ("f", "my"), ("fo", "mzxq"), ("foo", "mzxw6"), ("foob", "mzxw6yq"), ("fooba", "mzxw6ytb")]
    for (text, encoded) in pairs {
      #expect(Base32.encode(text.utf8) == encoded)
      #expect(Base32.decode(encoded) == Array(text.utf8))
    }
    #expect(Base32.decode("mz") == nil)  // bits that nothing was written to
    #expect(Base32.decode("m") == nil)
    #expect(Base32.decode("m1") == nil)
    #expect(Base32.decode("mé") == nil)
  }

  @Test func `the fingerprint is that of the public key, as openssl computes it`() throws {
    let identity = try Identity.stored(at: path("key"))
    let command = "openssl pkey -in '\(path("key"))' -pubout -outform DER | openssl dgst -sha256 -binary"
    let result = try ChildProcess.run("/bin/sh", ["-c", command])
    #expect(result.code == 0 && result.output == identity.fingerprint.bytes)
  }

  @Test func `the certificate of a key is its own, of version 3, and valid for good`() throws {
    let identity = try Identity.ephemeral()
    let certificate = try #require(identity.chain.first)
    #expect(identity.chain.count == 1 && certificate.fingerprint == identity.fingerprint)
    #expect(X509_get_version(certificate.pointer) == 2 && X509_verify(certificate.pointer, identity.key.pointer) == 1)
    #expect(X509_cmp_current_time(X509_get0_notBefore(certificate.pointer)) < 0)
    #expect(X509_cmp_current_time(X509_get0_notAfter(certificate.pointer)) > 0)
    #expect("\(identity)" == "identity \(identity.fingerprint)")
  }

  // MARK: - Kept keys

  @Test func `a kept key is the same next time, and nobody else may read it`() throws {
    let first = try Identity.stored(at: path("key"))
    #expect(mode(path("key")) & 0o777 == 0o600)
    #expect(try Identity.stored(at: path("key")).fingerprint == first.fingerprint)
    #expect(try Identity.stored(at: path("other")).fingerprint != first.fingerprint)
    #expect(try Identity.ephemeral().fingerprint != first.fingerprint)
    #expect(try names() == ["key", "other"])
  }

  @Test func `of many that create a key at the same time all get one`() async throws {
    let path = path("key")
    let fingerprints = try await withThrowingTaskGroup(of: KeyFingerprint.self) { group in
      for _ in 0..<20 { group.addTask { try Identity.stored(at: path).fingerprint } }
      return try await group.reduce(into: Set<KeyFingerprint>()) { $0.insert($1) }
    }
    #expect(fingerprints.count == 1)
    #expect(try names() == ["key"])
  }

  @Test func `a key that others may read is refused`() throws {
    _ = try Identity.stored(at: path("key"))
    for mode in [0o640, 0o604, 0o660] as [mode_t] {
      chmod(path("key"), mode)
      let error = #expect(throws: TransportError.self) { try Identity.stored(at: path("key")) }
      #expect(error?.code == .unusableKey && error?.message.contains("chmod 600") == true)
    }
  }

  @Test(.timeLimit(.minutes(1))) func `a link, a pipe, a folder and a large file are refused at once`() throws {
    _ = try Identity.stored(at: path("key"))
    symlink(path("key"), path("link"))
    mkfifo(path("pipe"), 0o600)
    mkdir(path("folder"), 0o700)
    put([UInt8](repeating: 65, count: Identity.largestFile + 1), path("large"))
    // A file of a GiB without content takes no room.
    put([], path("huge"))
    truncate(path("huge"), 1 << 30)
    for name in ["link", "pipe", "folder", "large", "huge"] {
      let error = #expect(throws: TransportError.self) { try Identity.stored(at: path(name)) }
      #expect(error?.code == .unusableKey, "\(name): \(error?.message ?? "")")
      #expect(throws: TransportError.self) { try PinStore(at: "/dev/zero") }
    }
    put(Array("no key\n".utf8), path("text"))
    #expect(throws: TransportError.self) { try Identity.stored(at: path("text")) }
    put([], path("empty"))
    #expect(throws: TransportError.self) { try Identity.stored(at: path("empty")) }
    let error = #expect(throws: TransportError.self) { try Identity.stored(at: path("missing/key")) }
    #expect(error?.message.contains(path("missing/key")) == true)
  }

  @Test func `a link in place of a new key is not followed`() throws {
    symlink(path("elsewhere"), path("key"))
    #expect(throws: TransportError.self) { try Identity.stored(at: path("key")) }
    #expect(try names() == ["key"])
  }

  @Test func `an identity of certificates needs its own key`() throws {
    _ = try Identity.stored(at: path("key"))
    _ = try Identity.stored(at: path("other"))
    let made = try ChildProcess.run(
      "/bin/sh",
      ["-c", "openssl req -x509 -new -key '\(path("key"))' -subj /CN=localhost -days 2 -addext subjectAltName=DNS:localhost"])
    #expect(made.code == 0)
    let certificate = String(decoding: made.output, as: UTF8.self)
    let key = try text(of: "key")
    let identity = try Identity(certificateChain: certificate, privateKey: key)
    #expect(identity.fingerprint == (try Identity.stored(at: path("key")).fingerprint))
    for (chain, key) in [(certificate, try text(of: "other")), ("", key), (certificate, ""), (key, certificate)] {
      let error = #expect(throws: TransportError.self) { try Identity(certificateChain: chain, privateKey: key) }
      #expect(error?.code == .unusableKey)
    }
  }

  private func text(of name: String) throws -> String {
    let file = PrivateFile(path(name), maximumSize: 10_000)
    return String(decoding: try #require(try file.read()), as: UTF8.self)
  }

  // MARK: - Pins

  @Test func `the first key is pinned, and another is refused with both`() throws {
    let (first, second) = (try Identity.ephemeral().fingerprint, try Identity.ephemeral().fingerprint)
    let store = try PinStore(at: path("pins"))
    #expect(store.key(of: "Ada's room") == nil)
    try store.pin(first, for: "Ada's room")
    try store.pin(first, for: "Ada's room")
    let error = #expect(throws: TransportError.self) { try store.pin(second, for: "Ada's room") }
    #expect(error?.code == .keyChanged)
    #expect(error?.keyChange == KeyChange(name: "Ada's room", known: first, presented: second))
    #expect(error?.message.contains("\(first)") == true && error?.message.contains("\(second)") == true)
    try store.pin(second, for: "Bob's room")

    let again = try PinStore(at: path("pins"))
    #expect(again.key(of: "Ada's room") == first && again.key(of: "Bob's room") == second)
    #expect(mode(path("pins")) & 0o777 == 0o600)
    try again.forget("Ada's room")
    try again.pin(second, for: "Ada's room")
    #expect(try PinStore(at: path("pins")).key(of: "Ada's room") == second)
    #expect(try names() == ["pins", "pins.lock"])
  }

  @Test func `a new key takes the place of the one it was shown against, and of no other`() throws {
    let keys = try (0..<3).map { _ in try Identity.ephemeral().fingerprint }
    let store = try PinStore(at: path("pins"))
    try store.pin(keys[0], for: "a")
    // Somebody has come in between.
    #expect(throws: TransportError.self) { try store.replace(keys[1], with: keys[2], for: "a") }
    #expect(store.key(of: "a") == keys[0])
    try store.replace(keys[0], with: keys[1], for: "a")
    try store.replace(keys[0], with: keys[1], for: "a")
    #expect(try PinStore(at: path("pins")).key(of: "a") == keys[1])
    try store.replace(keys[0], with: keys[2], for: "b")
    #expect(store.key(of: "b") == keys[2], "forgotten meanwhile")
  }

  @Test func `a pin of another program is kept, and a contradiction is found`() throws {
    let (first, second) = (try Identity.ephemeral().fingerprint, try Identity.ephemeral().fingerprint)
    let (one, other) = (try PinStore(at: path("pins")), try PinStore(at: path("pins")))
    try one.pin(first, for: "a")
    try other.pin(second, for: "b")
    #expect(try PinStore(at: path("pins")).key(of: "a") == first)
    #expect(throws: TransportError.self) { try one.pin(first, for: "b") }
  }

  @Test func `of pins by many programs at the same time none is lost`() async throws {
    let path = path("pins")
    let key = try Identity.ephemeral().fingerprint
    let stores = try (0..<20).map { _ in try PinStore(at: path) }
    try await withThrowingTaskGroup { group in
      for (number, store) in stores.enumerated() { group.addTask { try store.pin(key, for: "room \(number)") } }
      try await group.waitForAll()
    }
    let known = try PinStore(at: path)
    #expect((0..<20).count { known.key(of: "room \($0)") == key } == 20)
  }

  @Test(arguments: ["\u{301}Ada", "\u{903}Ada", "\u{fe0f}", " Ada", "Ada  ", "\u{200d}\u{1f469}", "a b c"])
  func `a name may begin with anything that is not a control character`(name: String) throws {
    let path = folder.path + "/pins-of-\(abs(name.hashValue))"
    let key = try Identity.ephemeral().fingerprint
    try PinStore(at: path).pin(key, for: name)
    #expect(try PinStore(at: path).key(of: name) == key)
  }

  @Test(arguments: [
    ("", false), ("a", true), (String(repeating: "é", count: 256), true), (String(repeating: "a", count: 513), false),
    ("a\u{85}", false), ("a\n", false),
  ])
  func `a name has 1 to 512 bytes without control characters`(name: String, isValid: Bool) {
    #expect(PinStore.isValid(name) == isValid)
  }

  @Test func `a file that is no list of pins is refused`() throws {
    let key = "\(try Identity.ephemeral().fingerprint)"
    for text in ["hello\n", "\(key)\n", "\(key) \n", "\(key) a\n\(key) a\n", "\(key.dropLast()) a\n", "\(key) a\u{7}\n"] {
      put(Array(text.utf8), path("pins"))
      let error = #expect(throws: TransportError.self) { try PinStore(at: path("pins")) }
      #expect(error?.code == .unusablePins)
    }
    put([0xFF, 0xFE], path("pins"))
    #expect(throws: TransportError.self) { try PinStore(at: path("pins")) }
    put(Array("\(key) a\n".utf8), path("pins"))
    #expect(try PinStore(at: path("pins")).key(of: "a") == KeyFingerprint(key))
  }

  @Test func `a pin that cannot be written is not kept in memory`() throws {
    let store = try PinStore(at: path("missing/pins"))
    let key = try Identity.ephemeral().fingerprint
    #expect(throws: TransportError.self) { try store.pin(key, for: "a") }
    #expect(store.key(of: "a") == nil)
  }
}
