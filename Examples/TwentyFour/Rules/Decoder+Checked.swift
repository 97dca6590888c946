extension Decoder {
  /// Decodes a value that is written as another one, such as its text, and checks it.
  ///
  /// - Throws: `DecodingError`, described by the error of the check.
  func checked<Raw: Decodable, Value>(_ make: (Raw) throws -> Value) throws -> Value {
    let container = try singleValueContainer()
    let raw = try container.decode(Raw.self)
    do {
      return try make(raw)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
    }
  }
}
