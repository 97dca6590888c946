/// The format of the value of an option or an operand.
public struct ValueFormat<Value: Sendable>: Sendable {
  /// Completes the sentence "the port must be …".
  let expectation: String
  /// What a shell offers.
  let completion: Completion
  /// Whether a text is to be wiped from the process's argument list once it is parsed.
  let isSecret: @Sendable (String) -> Bool
  let read: @Sendable (String) -> Value?

  /// Makes a format.
  ///
  /// - Parameters:
  ///   - expectation: Completes the sentence "--name must be …".
  ///   - completion: What a shell offers.
  ///   - isSecret: Whether a text is to be wiped from the process's argument list, which all users of the machine can read, once
  ///     it is parsed.
  ///   - read: Parses a text; returns nil if it does not have the format.
  public init(
    _ expectation: String, completion: Completion = .nothing, isSecret: @escaping @Sendable (String) -> Bool = { _ in false },
    read: @escaping @Sendable (String) -> Value?
  ) {
    self.expectation = expectation
    self.completion = completion
    self.isSecret = isSecret
    self.read = read
  }

  func value(of name: String, _ text: String) throws(Problem) -> Value {
    if let value = read(text) { return value }
    guard !text.isEmpty else { throw Problem("\(name) must not be empty") }
    var question = ""
    // The expectation lists a few words itself: a question with all of them would say nothing.
    if case .words(let words) = completion, Suggestion.words(like: text, among: words).count < words.count {
      question = Suggestion.question(for: text, among: words)
    }
    throw Problem("\(name) must be \(expectation), not '\(text)'\(question)")
  }
}

extension ValueFormat where Value == String {
  /// Any text that is not empty.
  public static var text: Self { text(.nothing) }

  /// The path of a file.
  public static var file: Self { text(.files) }

  /// The name of a network interface.
  public static var interface: Self { text(.interfaces) }

  /// Any text that is not empty, and is to be wiped from the process's argument list once it is parsed.
  ///
  /// - Parameter condition: Whether a text is secret; by default all are.
  public static func secret(if condition: @escaping @Sendable (String) -> Bool = { _ in true }) -> Self {
    Self("a text", isSecret: condition) { $0.isEmpty ? nil : $0 }
  }

  /// Any text that is not empty.
  ///
  /// - Parameter completion: What a shell offers.
  public static func text(_ completion: Completion) -> Self {
    Self("a text", completion: completion) { $0.isEmpty ? nil : $0 }
  }
}

extension ValueFormat {
  /// One of several words.
  ///
  /// - Parameter values: The words and their values.
  public static func oneOf(_ values: KeyValuePairs<String, Value>) -> Self {
    word(of: values.map(\.key)) { text in values.first { $0.key == text }?.value }
  }

  fileprivate static func word(of words: [String], read: @escaping @Sendable (String) -> Value?) -> Self {
    Self(Suggestion.alternatives(words), completion: .words(words), read: read)
  }
}

extension ValueFormat where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// One of the raw values of a type.
  public static var anyCase: Self {
    word(of: Value.allCases.map(\.rawValue)) { Value(rawValue: $0) }
  }
}

extension ValueFormat where Value == Int {
  /// A whole decimal number within bounds.
  public static func integer(in bounds: ClosedRange<Int>) -> Self {
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
  /// Two whole decimal numbers within bounds, as `MIN:MAX` with the smaller first; or one number for both.
  public static func range(in bounds: ClosedRange<Int>) -> Self {
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
  /// A number of seconds within bounds, with or without decimals.
  public static func seconds(in bounds: ClosedRange<Double>) -> Self {
    Self("a number of seconds from \(shortest(bounds.lowerBound)) to \(shortest(bounds.upperBound))") { text in
      // Double would read "nan", "infinity" and hexadecimal numbers too.
      guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }) else { return nil }
      return Double(text).flatMap { bounds.contains($0) ? .seconds($0) : nil }
    }
  }

  private static func shortest(_ number: Double) -> String {
    Int(exactly: number).map(String.init) ?? String(number)
  }
}
