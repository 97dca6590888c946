/// The operations on which a passcode exchange spends its time.
package struct PasscodeArithmetic: Sendable {
  /// The generator of a password, a channel and a session.
  package let generator: @Sendable (_ password: SecretBytes, _ channel: [UInt8], _ session: [UInt8]) -> SecretBytes
  /// A new secret number.
  package let randomScalar: @Sendable () -> SecretBytes
  /// The product of a number and an element; `nil` if the element is none, or the product is neutral.
  package let product: @Sendable (_ scalar: SecretBytes, _ element: SecretBytes) -> SecretBytes?

  /// Puts operations together. Only a fuzzer, which repeats the same exchange millions of times, has others than ``cpace``: they
  /// remember results.
  package init(
    generator: @escaping @Sendable (SecretBytes, [UInt8], [UInt8]) -> SecretBytes,
    randomScalar: @escaping @Sendable () -> SecretBytes,
    product: @escaping @Sendable (SecretBytes, SecretBytes) -> SecretBytes?
  ) {
    self.generator = generator
    self.randomScalar = randomScalar
    self.product = product
  }

  /// Those of ``CPace``.
  package static let cpace = PasscodeArithmetic(
    generator: { CPace.generator(password: $0, channel: $1, session: $2) }, randomScalar: { CPace.randomScalar() },
    product: { try? CPace.product($0, $1) })
}
