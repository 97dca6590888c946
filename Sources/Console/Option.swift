/// An option of a command, `--name VALUE` or `--name`, and the type of its value.
public struct Option<Value: Sendable>: CommandOption {
  /// The option without its type.
  public let entry: OptionEntry

  private init(
    _ name: String, _ placeholder: String?, isRequired: Bool = false, _ help: String,
    read: @escaping @Sendable (Occurrence) throws(Problem) -> Value
  ) {
    entry = OptionEntry(name: name, placeholder: placeholder, isRequired: isRequired, help: help, read: read)
  }
}

/// An ``Option`` of any type; programs do not conform to this.
public protocol CommandOption: Sendable {
  /// The option without its type.
  var entry: OptionEntry { get }
}

/// An option without the type of its value.
public struct OptionEntry: Sendable {
  let name: String
  /// The name of the value in the help text; nil if the option takes no value.
  let placeholder: String?
  let isRequired: Bool
  let help: String
  let read: @Sendable (Occurrence) throws(Problem) -> any Sendable
}

/// The occurrences of an option in a command line.
enum Occurrence: Equatable {
  case absent
  case bare
  /// All its values, in order.
  case with([String])

  /// The last of its values; nil if there is none.
  func value<Value>(of name: String, _ format: ValueFormat<Value>) throws(Problem) -> Value? {
    guard case .with(let texts) = self, let text = texts.last else { return nil }
    return try format.value(of: "--\(name)", text)
  }
}

extension Option {
  /// An option that must be given.
  ///
  /// - Parameters:
  ///   - name: The name, without the dashes.
  ///   - placeholder: The name of the value in `--help`, such as "PORT".
  ///   - format: The format of the value.
  ///   - help: The option's meaning, for `--help`.
  public static func required(_ name: String, _ placeholder: String, _ format: ValueFormat<Value>, _ help: String) -> Self {
    Self(name, placeholder, isRequired: true, help) { occurrence throws(Problem) in
      guard let value = try occurrence.value(of: name, format) else {
        throw Problem("--\(name) is missing; give --\(name) \(placeholder)")
      }
      return value
    }
  }

  /// An option with a default value.
  public static func optional(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Value>, default: Value, _ help: String
  ) -> Self {
    Self(name, placeholder, help) { occurrence throws(Problem) in
      try occurrence.value(of: name, format) ?? `default`
    }
  }

  /// An option that is nil unless it is given.
  public static func optional<Wrapped>(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Wrapped>, _ help: String
  ) -> Self where Value == Wrapped? {
    Self(name, placeholder, help) { occurrence throws(Problem) in
      try occurrence.value(of: name, format)
    }
  }
}

extension Option {
  /// An option that may be given any number of times; its value is the list of all values.
  public static func repeated<Element>(
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
  /// An option without a value, which is true if it is given.
  public static func flag(_ name: String, _ help: String) -> Self {
    Self(name, nil, help) { $0 != .absent }
  }
}
