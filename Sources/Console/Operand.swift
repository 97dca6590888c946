/// An operand of a command, what is told by its position, and the type of what it gives.
package struct Operand<Value: Sendable>: CommandOperand {
  package let entry: OperandEntry

  private init(
    _ name: String, count: ClosedRange<Int>, _ help: String,
    read: @escaping @Sendable ([String]) throws(Problem) -> Value
  ) {
    entry = OperandEntry(name: name, count: count, help: help, read: read)
  }
}

extension Operand {
  /// An operand that must be given.
  package static func required(_ name: String, _ format: ValueFormat<Value>, _ help: String) -> Self {
    Self(name, count: 1...1, help) { texts throws(Problem) in try format.value(of: name, texts[0]) }
  }

  /// An operand that is nil unless it is given.
  package static func optional<Wrapped>(_ name: String, _ format: ValueFormat<Wrapped>, _ help: String) -> Self
  where Value == Wrapped? {
    Self(name, count: 0...1, help) { texts throws(Problem) in
      guard let text = texts.first else { return nil }
      return try format.value(of: name, text)
    }
  }

  /// An operand that may be given any number of times, or as often as `count` says.
  package static func repeated<Element>(
    _ name: String, _ format: ValueFormat<Element>, count: ClosedRange<Int> = 0...Int.max, _ help: String
  ) -> Self where Value == [Element] {
    Self(name, count: count, help) { texts throws(Problem) in
      var values: [Element] = []
      for text in texts { values.append(try format.value(of: name, text)) }
      return values
    }
  }
}

/// An operand whatever its type, as a command lists it.
package protocol CommandOperand: Sendable {
  var entry: OperandEntry { get }
}

/// What a command knows about one of its operands.
package struct OperandEntry: Sendable {
  let name: String
  let count: ClosedRange<Int>
  let help: String
  let read: @Sendable ([String]) throws(Problem) -> any Sendable

  /// How the operand stands in the usage line.
  var synopsis: String {
    let item = count.upperBound > 1 ? "\(name) ..." : name
    return count.lowerBound == 0 ? "[\(item)]" : item
  }
}
