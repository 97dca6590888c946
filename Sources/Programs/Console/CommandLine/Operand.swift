/// A positional argument of a command, with the type of its value.
public struct Operand<Value: Sendable>: CommandOperand {
  /// The operand without its type.
  public let entry: OperandEntry

  private init(
    _ name: String, count: ClosedRange<Int>, _ format: (completion: Completion, isSecret: @Sendable (String) -> Bool),
    _ help: String, read: @escaping @Sendable ([String]) throws(Problem) -> Value
  ) {
    entry = OperandEntry(
      name: name, count: count, completion: format.completion, isSecret: format.isSecret, help: help, read: read)
  }
}

extension Operand {
  /// An operand that must be given.
  ///
  /// - Parameters:
  ///   - name: Its name in the usage line, such as "TYPE".
  ///   - format: The format of its value.
  ///   - help: Its meaning, for `--help` and for the error "… is missing; give …".
  public static func required(_ name: String, _ format: ValueFormat<Value>, _ help: String) -> Self {
    Self(name, count: 1...1, (format.completion, format.isSecret), help) { texts throws(Problem) in
      try format.value(of: name, texts[0])
    }
  }

  /// An operand that is nil unless it is given.
  public static func optional<Wrapped>(_ name: String, _ format: ValueFormat<Wrapped>, _ help: String) -> Self
  where Value == Wrapped? {
    Self(name, count: 0...1, (format.completion, format.isSecret), help) { texts throws(Problem) in
      guard let text = texts.first else { return nil }
      return try format.value(of: name, text)
    }
  }

  /// An operand with any number of values, or with `count` values.
  public static func repeated<Element>(
    _ name: String, _ format: ValueFormat<Element>, count: ClosedRange<Int> = 0...Int.max, _ help: String
  ) -> Self where Value == [Element] {
    Self(name, count: count, (format.completion, format.isSecret), help) { texts throws(Problem) in
      var values: [Element] = []
      for text in texts { values.append(try format.value(of: name, text)) }
      return values
    }
  }
}

/// An ``Operand`` of any type; programs do not conform to this.
public protocol CommandOperand: Sendable {
  /// The operand without its type.
  var entry: OperandEntry { get }
}

/// An operand without the type of its value.
public struct OperandEntry: Sendable {
  let name: String
  let count: ClosedRange<Int>
  /// What a shell offers for its value.
  let completion: Completion
  /// Whether a value is to be wiped from the process's argument list.
  let isSecret: @Sendable (String) -> Bool
  let help: String
  let read: @Sendable ([String]) throws(Problem) -> any Sendable

  /// The operand's form in the usage line.
  var synopsis: String {
    let item = count.upperBound > 1 ? "\(name) ..." : name
    return count.lowerBound == 0 ? "[\(item)]" : item
  }
}
