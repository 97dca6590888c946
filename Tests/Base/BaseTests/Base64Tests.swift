import Testing
import _BonjourishBase

struct Base64Tests {
  /// The examples of RFC 4648 section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func `bytes are Base64`(bytes: String, text: String) {
    #expect(Base64.text(of: Array(bytes.utf8)) == text)
  }

  @Test func `all bits have their digit`() {
    #expect(Base64.text(of: [0xFB, 0xEF, 0xBE, 0xFF]) == "++++/w==")
  }
}
