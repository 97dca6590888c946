public import _BonjourishConsole

extension Output {
  /// Writes a value as one line of JSON (see ``JSONLine``).
  public func json(_ value: some Encodable) { line(JSONLine.text(of: value)) }
}
