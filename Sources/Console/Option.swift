/// An option of a command, `--name VALUE` or `--name`, and the type of what it gives.
package struct Option<Value: Sendable>: CommandOption {
  package let entry: OptionEntry

  private init(
    _ name: String, _ placeholder: String?, isRequired: Bool = false, _ help: String,
    read: @escaping @Sendable (Occurrence) throws(Problem) -> Value
  ) {
    entry = OptionEntry(name: name, placeholder: placeholder, isRequired: isRequired, help: help, read: read)
  }
}

/// An option whatever its type, as a command lists it.
package protocol CommandOption: Sendable {
  var entry: OptionEntry { get }
}

/// What a command knows about one of its options.
package struct OptionEntry: Sendable {
  let name: String
  /// What stands for the value in the help text; nil: the option takes none.
  let placeholder: String?
  let isRequired: Bool
  let help: String
  let read: @Sendable (Occurrence) throws(Problem) -> any Sendable
}

/// What the command line says about an option.
enum Occurrence: Equatable {
  case absent
  case bare
  /// All the values that it has been given, in order.
  case with([String])

  /// Of several the last one counts.
  func value<Value>(of name: String, _ format: ValueFormat<Value>) throws(Problem) -> Value? {
    guard case .with(let texts) = self, let text = texts.last else { return nil }
    return try format.value(of: "--\(name)", text)
  }
}

extension Option {
  /// An option that must be given.
  package static func required(_ name: String, _ placeholder: String, _ format: ValueFormat<Value>, _ help: String) -> Self {
    Self(name, placeholder, isRequired: true, help) { occurrence throws(Problem) in
      guard let value = try occurrence.value(of: name, format) else {
        throw Problem("--\(name) is missing; give --\(name) \(placeholder)")
      }
      return value
    }
  }

  /// An option that has a value even if it is not given.
  package static func optional(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Value>, default: Value, _ help: String
  ) -> Self {
    Self(name, placeholder, help) { occurrence throws(Problem) in
      try occurrence.value(of: name, format) ?? `default`
    }
  }

  /// An option that is nil unless it is given.
  package static func optional<Wrapped>(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Wrapped>, _ help: String
  ) -> Self where Value == Wrapped? {
    Self(name, placeholder, help) { occurrence throws(Problem) in
      try occurrence.value(of: name, format)
    }
  }
}

extension Option {
  /// An option that may be given any number of times; each value counts.
  package static func repeated<Element>(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Element>, _ help: String
  ) -> Self where Value == [Element] {
    Self(name, placeholder, help) { occurrence throws(Problem) in
      guard case .with(let texts) = occurrence else { return [] }
      var values: [Element] = []
      for text in texts { values.append(try format.value(of: "--\(name)", text)) }
      return values
    }
  }
}

extension Option where Value == Bool {
  /// An option without a value: true if it is given.
  package static func flag(_ name: String, _ help: String) -> Self {
    Self(name, nil, help) { $0 != .absent }
  }
}
