/// An option of a command, `--name VALUE` or `--name`, and the type of its value.
public struct Option<Value: Sendable>: CommandOption {
  /// The option without its type.
  public let entry: OptionEntry

  private init(
    _ name: String, _ placeholder: String?, isRequired: Bool = false, isRepeatable: Bool = false,
    completion: Completion = .nothing, isSecret: @escaping @Sendable (String) -> Bool = { _ in false }, _ help: String,
    read: @escaping @Sendable (Occurrence) throws(Problem) -> Value
  ) {
    entry = OptionEntry(
      name: name, placeholder: placeholder, isRequired: isRequired, isRepeatable: isRepeatable, completion: completion,
      isSecret: isSecret, help: help, read: read)
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
  /// Whether it may be given more than once.
  let isRepeatable: Bool
  /// What a shell offers for its value.
  let completion: Completion
  /// Whether a value is to be wiped from the process's argument list.
  let isSecret: @Sendable (String) -> Bool
  let help: String
  let read: @Sendable (Occurrence) throws(Problem) -> any Sendable

  /// The option as it is typed, with the name of its value: `--port PORT`.
  var synopsis: String { ["--\(name)", placeholder].compactMap(\.self).joined(separator: " ") }
}

/// The occurrences of an option in a command line.
enum Occurrence: Equatable {
  case absent
  /// The number of times that it was given without a value.
  case bare(Int)
  /// All its values, in order.
  case with([String])

  /// How often the option is given.
  var count: Int {
    switch self {
    case .absent: 0
    case .bare(let count): count
    case .with(let texts): texts.count
    }
  }

  /// One occurrence more, with its value unless the option takes none.
  func adding(_ text: String?) -> Occurrence {
    switch (self, text) {
    case (.with(let former), let text?): .with(former + [text])
    case (_, let text?): .with([text])
    case (_, nil): .bare(count + 1)
    }
  }

  /// Its value; nil if there is none. Only a repeatable option has several.
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
    Self(name, placeholder, isRequired: true, completion: format.completion, isSecret: format.isSecret, help) {
      occurrence throws(Problem) in
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
    Self(name, placeholder, completion: format.completion, isSecret: format.isSecret, help) { occurrence throws(Problem) in
      try occurrence.value(of: name, format) ?? `default`
    }
  }

  /// An option that is nil unless it is given.
  public static func optional<Wrapped>(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Wrapped>, _ help: String
  ) -> Self where Value == Wrapped? {
    Self(name, placeholder, completion: format.completion, isSecret: format.isSecret, help) { occurrence throws(Problem) in
      try occurrence.value(of: name, format)
    }
  }
}

extension Option {
  /// An option that may be given any number of times; its value is the list of all values.
  public static func repeated<Element>(
    _ name: String, _ placeholder: String, _ format: ValueFormat<Element>, _ help: String
  ) -> Self where Value == [Element] {
    Self(name, placeholder, isRepeatable: true, completion: format.completion, isSecret: format.isSecret, help) {
      occurrence throws(Problem) in
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

  /// An option without a value that chooses one of several forms of a program's command line: it must be given.
  public static func choosing(_ name: String, _ help: String) -> Self {
    Self(name, nil, isRequired: true, help) { $0 != .absent }
  }
}
