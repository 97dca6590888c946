import Foundation
import FramedSecurity
import FramedTransport
import TestSupport
import Testing

@Suite struct SealingKeyTests {
  private let identity: Identity
  private let key: SealingKey

  init() throws {
    identity = try Identity.ephemeral()
    key = try SealingKey(of: identity, for: "tests")
  }

  @Test func `what is sealed is opened in its context`() throws {
    for count in [0, 1, 16, 1_000, 300_000] {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let sealed = key.seal(bytes, as: [1, 2])
      // The version comes first.
      #expect(sealed.count == count + SealingKey.overhead && sealed[0] == 1)
      #expect(key.open(sealed, as: [1, 2]) == bytes)
      #expect(key.open(sealed, as: [1]) == nil)
      #expect(key.open(sealed, as: []) == nil)
    }
  }

  @Test func `nothing is seen of what is sealed, and no two results are the same`() {
    let bytes = Array("a secret of a seat, sixty-four letters long, in a state of a match".utf8)
    let (one, other) = (key.seal(bytes, as: []), key.seal(bytes, as: []))
    #expect(one != other)
    #expect(Data(one).range(of: Data(bytes.prefix(6))) == nil)
  }

  @Test func `what was changed or cut is not opened`() {
    let sealed = key.seal([1, 2, 3], as: [])
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(key.open(changed, as: []) == nil)
      #expect(key.open(Array(sealed[..<index]), as: []) == nil)
    }
    #expect(key.open(sealed + [0], as: []) == nil)
    #expect(key.open([], as: []) == nil)
  }

  @Test func `the length of the context is bound too`() {
    let sealed = key.seal([1], as: [7, 7])
    #expect(key.open(sealed, as: [7, 7, 0]) == nil)
  }

  @Test func `the same key file gives the same key, another one or another purpose another`() throws {
    let folder = try TemporaryFolder()
    let sealed = try SealingKey(of: try .stored(at: folder.path + "/key.pem"), for: "tests").seal([1], as: [])
    let same = try SealingKey(of: try .stored(at: folder.path + "/key.pem"), for: "tests")
    let purpose = try SealingKey(of: try .stored(at: folder.path + "/key.pem"), for: "test")
    #expect(same.open(sealed, as: []) == [1])
    #expect(purpose.open(sealed, as: []) == nil)
    #expect(key.open(sealed, as: []) == nil)
  }

  /// Keys of authorities may be of other kinds.
  @Test(arguments: ["rsa:2048", "ed25519", "ec"]) func `a key of any kind will do`(kind: String) throws {
    let folder = try TemporaryFolder()
    let options = kind == "ec" ? ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"] : [kind]
    let (code, _, errors) = try ChildProcess.run(
      "/usr/bin/openssl",
      ["req", "-x509", "-nodes", "-subj", "/CN=a", "-keyout", folder.path + "/key", "-out", folder.path + "/cert", "-newkey"]
        + options)
    try #require(code == 0, "\(String(decoding: errors, as: UTF8.self))")
    func read() throws -> SealingKey {
      let identity = try Identity(
        certificateChain: String(contentsOfFile: folder.path + "/cert", encoding: .utf8),
        privateKey: String(contentsOfFile: folder.path + "/key", encoding: .utf8))
      return try SealingKey(of: identity, for: "tests")
    }
    #expect(try read().open(try read().seal([1], as: []), as: []) == [1])
  }

  @Test func `nothing shows a key`() {
    #expect("\(key)" == "a sealing key")
    #expect(String(reflecting: key) == "a sealing key")
    #expect(Mirror(reflecting: key).children.isEmpty)
  }
}
