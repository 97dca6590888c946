import CFramedSodium

/// A short secret that people tell each other, such as `471123`.
///
/// Two sides prove to each other that they know it, without sending it: CPace (draft-irtf-cfrg-cpace) over the encrypted channel.
/// Whoever captures everything finds nothing to test guesses against; whoever guesses needs a new attempt for each guess, and the
/// listener counts them (``PasscodeGuard``). So six digits are enough.
///
/// A passcode never appears in a description, a log or an error. Its memory is wiped when it is released; the string that it was
/// made from is the caller's.
public struct Passcode: Sendable {
  /// The most bytes of a passcode.
  public static let maximumByteCount = 256

  let secret: SecretBytes

  /// Creates a passcode.
  ///
  /// Spaces and hyphens do not count if everything else is an ASCII digit, so `471 123` is `471123`. Other text is taken as it is in
  /// Unicode's composed form (NFC): an “é” is the same whether one keyboard writes it as one character or as two. Capitals count.
  ///
  /// - Parameter text: The text, 1–256 bytes of UTF-8 in the composed form.
  /// - Returns: `nil` if the text is empty or too long.
  public init?(text: String) {
    // Before anything is composed, so that a long text costs nothing. The composed form has at least a third of the bytes.
    guard text.utf8.count <= 3 * Self.maximumByteCount else { return nil }
    let isNumber = text.utf8.allSatisfy { Self.isDigit($0) || Self.isSeparator($0) }
    // Counted and then written in place: no copy is left in memory.
    func visit(_ body: (UInt8) -> Void) {
      if isNumber {
        for byte in text.utf8 where Self.isDigit(byte) { body(byte) }
      } else {
        for byte in text._nfcCodeUnits { body(byte) }
      }
    }
    var count = 0
    visit { _ in count += 1 }
    guard (1...Self.maximumByteCount).contains(count) else { return nil }
    secret = SecretBytes(count: count) { target in
      var place = 0
      visit {
        target[place] = $0
        place += 1
      }
    }
  }

  init(_ secret: SecretBytes) {
    self.secret = secret
  }

  /// Creates a passcode of random digits.
  ///
  /// - Parameter digits: The number of digits, 4–20. With 6, a stranger who may guess ten times is right once in 100,000 cases.
  public static func random(digits: Int = 6) -> Passcode {
    precondition((4...20).contains(digits), "digits must be 4 to 20")
    return Passcode(
      SecretBytes(count: digits) { target in
        for place in 0..<digits { target[place] = UInt8(ascii: "0") + UInt8(randombytes_uniform(10)) }
      })
  }

  /// The text, to show it to those who may know it.
  public var text: String { String(validating: secret.exposed, as: UTF8.self) ?? "" }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "-") }
}

extension Passcode: ExpressibleByStringLiteral {
  /// Creates a passcode from a literal, which must have 1–256 bytes of UTF-8.
  public init(stringLiteral text: String) {
    guard let passcode = Passcode(text: text) else { preconditionFailure("a passcode must have 1 to 256 bytes") }
    self = passcode
  }
}

extension Passcode: Equatable {
  /// Whether both are the same; takes as long whether they differ early or late.
  public static func == (left: Passcode, right: Passcode) -> Bool { left.secret.equals(right.secret) }
}

extension Passcode: CustomStringConvertible, CustomReflectable {
  /// Says that it is a passcode, and not which.
  public var description: String { "a passcode" }

  /// Shows nothing of the passcode.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
