import Foundation
import Testing

@testable import FramedSecurity

/// The test vectors of draft-irtf-cfrg-cpace for ristretto255 and SHA-512 (appendix B.5), and the string functions of appendix A.
@Suite struct CPaceTests {
  private let session = hex("7e4b4791d6a8ef019b936c79fb7f2c57")
  private let channel = hex("0b415f696e69746961746f720b425f726573706f6e646572")
  private let password = SecretBytes(Array("Password".utf8))
  private let initiatorScalar = SecretBytes(hex: "da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
  private let initiatorShare = hex("d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157")
  private let responderScalar = SecretBytes(hex: "d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
  private let responderShare = hex("3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258")

  @Test func `a length is written in base 128`() {
    #expect(CPace.encodedLength(0) == [0])
    #expect(CPace.encodedLength(127) == [127])
    #expect(CPace.encodedLength(128) == [0x80, 1])
    #expect(CPace.joined(Array("1234".utf8), Array("5".utf8), [], Array("678".utf8)) == hex("043132333401350003363738"))
  }

  @Test func `the generator is the draft's`() {
    #expect(CPace.paddingSize(passwordSize: 8) == 100)
    let generator = CPace.generator(password: password, channel: channel, session: session)
    #expect(generator.exposed == hex("222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56"))
  }

  @Test func `the shares and the common secret are the draft's`() throws {
    let generator = CPace.generator(password: password, channel: channel, session: session)
    #expect(try CPace.product(initiatorScalar, generator).exposed == initiatorShare)
    #expect(try CPace.product(responderScalar, generator).exposed == responderShare)
    let secret = hex("80b69a8a76457ab6a4d7f887a4bf6b55a2f80ac19c333f917a05fc9887c8b40f")
    #expect(try CPace.product(initiatorScalar, SecretBytes(responderShare)).exposed == secret)
    #expect(try CPace.product(responderScalar, SecretBytes(initiatorShare)).exposed == secret)
  }

  @Test func `the session key of initiator and responder is the draft's`() throws {
    let key = CPace.sessionKey(
      secret: try CPace.product(initiatorScalar, SecretBytes(responderShare)), session: session,
      initiator: .init(share: initiatorShare, data: Array("ADa".utf8)),
      responder: .init(share: responderShare, data: Array("ADb".utf8)))
    #expect(
      key.exposed
        == hex(
          """
          b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c
          3fa2068af7900447
          """))
  }

  @Test func `a product is the draft's, and invalid and neutral elements are refused`() throws {
    let scalar = SecretBytes(hex: "7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05")
    let element = SecretBytes(hex: "2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    #expect(
      try CPace.product(scalar, element).exposed == hex("7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e"))
    let invalid = hex("2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    for element in [invalid, [UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32), [], [1, 2, 3]] {
      #expect(throws: CPace.InvalidShare()) { try CPace.product(scalar, SecretBytes(element)) }
    }
    // A scalar of 0 gives the neutral element.
    #expect(throws: CPace.InvalidShare()) { try CPace.product(SecretBytes(count: 32) { _ in }, element) }
  }

  @Test func `a tag is HMAC-SHA-512 under the key that the draft derives`() {
    // Computed with Python's hmac and hashlib: key = SHA-512("CPaceMac" || sid || ISK), message = lv_cat(Ya, "ADa").
    let key = SecretBytes(
      hex: """
        b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c
        3fa2068af7900447
        """)
    let tag = CPace.tag(sessionKey: key, session: session, over: .init(share: initiatorShare, data: Array("ADa".utf8)))
    #expect(
      tag.exposed
        == hex(
          """
          30478d28d83ae3b214295e91f4a3eb62999a8ed94575075db4a7d3bc3e4d26f16c51adba12dc7771372637a46b5134e0937cddd7d820bfdd
          83be335e339eb57a
          """))
  }

  @Test func `random scalars differ`() {
    #expect(!CPace.randomScalar().equals(CPace.randomScalar()))
  }

  @Test func `secrets are wiped before their memory is given back`() throws {
    // Read as another process would, because the memory is nobody's afterwards. Others may use it, or none may be there any more.
    let memory = try #require(FileHandle(forReadingAtPath: "/proc/self/mem"))
    func bytes(at address: UInt) -> [UInt8]? {
      guard (try? memory.seek(toOffset: UInt64(address))) != nil else { return nil }
      return (try? memory.read(upToCount: 256)).map(Array.init)
    }
    var (secrets, places): ([SecretBytes], [(address: UInt, bytes: [UInt8])]) = ([], [])
    for _ in 0..<64 {
      let secret = SecretBytes.random(count: 256)
      places.append((secret.withBytes { UInt(bitPattern: $0) }, secret.exposed))
      secrets.append(secret)
    }
    for (address, secret) in places { #expect(bytes(at: address) == secret) }
    secrets = []
    let left = places.map { (now: bytes(at: $0.address), secret: $0.bytes) }
    #expect(left.contains { $0.now != nil })
    // The allocator writes at the beginning.
    for (now, secret) in left { #expect(now?.dropFirst(64) != secret.dropFirst(64)) }
  }

  @Test func `secrets are compared by content and length`() {
    #expect(SecretBytes([1, 2, 3]).equals(SecretBytes([1, 2, 3])))
    #expect(!SecretBytes([1, 2, 3]).equals(SecretBytes([1, 2, 4])))
    #expect(!SecretBytes([1, 2, 3]).equals(SecretBytes([1, 2])))
    #expect(SecretBytes([]).equals(SecretBytes([])))
  }
}
