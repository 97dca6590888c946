/// What an option's value or an operand may look like.
package struct ValueFormat<Value: Sendable>: Sendable {
  /// Completes the sentence "the port is …".
  let expectation: String
  let read: @Sendable (String) -> Value?

  /// Makes a format of one's own; `read` returns nil for what is not of that format.
  package init(_ expectation: String, read: @escaping @Sendable (String) -> Value?) {
    self.expectation = expectation
    self.read = read
  }

  func value(of name: String, _ text: String) throws(Problem) -> Value {
    guard let value = read(text) else { throw Problem("\(name) is \(expectation), not '\(text)'") }
    return value
  }
}

extension ValueFormat where Value == String {
  /// Anything but nothing.
  package static var text: Self { Self("a text") { $0.isEmpty ? nil : $0 } }
}

extension ValueFormat where Value == Int {
  /// A decimal number within bounds.
  package static func integer(in bounds: ClosedRange<Int>) -> Self {
    let expectation =
      bounds.upperBound == .max
      ? "a whole number of at least \(bounds.lowerBound)"
      : "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
    return Self(expectation) { text in
      Int(text).flatMap { bounds.contains($0) ? $0 : nil }
    }
  }
}

extension ValueFormat where Value == ClosedRange<Int> {
  /// Two decimal numbers within bounds, the smaller first, as `MIN:MAX`; or one for both.
  package static func range(in bounds: ClosedRange<Int>) -> Self {
    Self("MIN:MAX, such as 2:16, from \(bounds.lowerBound) to \(bounds.upperBound)") { text in
      let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
      guard 1...2 ~= parts.count, let first = parts[0], let last = parts[parts.count - 1], first <= last,
        bounds.contains(first), bounds.contains(last)
      else { return nil }
      return first...last
    }
  }
}

extension ValueFormat where Value == Duration {
  /// A number of seconds within bounds, with decimals if need be.
  package static func seconds(in bounds: ClosedRange<Double>) -> Self {
    Self("seconds, from \(shortest(bounds.lowerBound)) to \(shortest(bounds.upperBound))") { text in
      // Double would read "nan", "infinity" and hexadecimal numbers too.
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
      return Double(text).flatMap { bounds.contains($0) ? .seconds($0) : nil }
    }
  }

  private static func shortest(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }
}
