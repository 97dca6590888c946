import FramedSecurity
import _BonjourishEventLoop

/// The arithmetic of passcode exchanges, with secret numbers that are the same in each run, so that an input always behaves the
/// same, and each product is computed once: products take nine tenths of the time.
enum RememberedArithmetic {
  private struct State {
    /// The number of secret numbers that the run has used.
    var used = 0
    var generators: [Key: SecretBytes] = [:]
    var products: [Key: SecretBytes?] = [:]
  }

  private struct Key: Hashable {
    let left: [UInt8]
    let right: [UInt8]

    /// All bytes count, because changed messages differ in one. Much faster than the arrays' own.
    func hash(into hasher: inout Hasher) {
      left.withUnsafeBytes { hasher.combine(bytes: $0) }
      right.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  private static let state = Locked(State())
  /// The sides of a run, one after the other.
  private static let scalars = (0..<16).map { _ in PasscodeArithmetic.cpace.randomScalar() }
  /// The most products that are remembered.
  private static let mostProducts = 100_000

  /// Begins a run.
  static func begin() { state.withLock { $0.used = 0 } }

  static let arithmetic = PasscodeArithmetic(
    generator: { password, channel, session in
      let key = Key(left: password.exposed, right: channel + session)
      return state.withLock { state in
        if let known = state.generators[key] { return known }
        let generator = PasscodeArithmetic.cpace.generator(password, channel, session)
        state.generators[key] = generator
        return generator
      }
    },
    randomScalar: {
      state.withLock { state in
        defer { state.used += 1 }
        return scalars[state.used % scalars.count]
      }
    },
    product: { scalar, element in
      let key = Key(left: scalar.exposed, right: element.exposed)
      return state.withLock { state in
        if let known = state.products[key] { return known }
        let product = PasscodeArithmetic.cpace.product(scalar, element)
        if state.products.count == mostProducts { state.products = [:] }
        state.products[key] = .some(product)
        return product
      }
    })
}
