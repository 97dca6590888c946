/// Counts of errors by their codes. Encoded as an object with the names of the codes.
public struct ErrorCounts: Hashable, Sendable, Codable {
  private var counts: [String: Int] = [:]

  init() {}

  /// Decodes what ``encode(to:)`` has encoded.
  public init(from decoder: any Decoder) throws {
    counts = try decoder.singleValueContainer().decode([String: Int].self)
  }

  /// Encodes the counts that are not 0.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(counts)
  }

  /// Those that are not 0, by the names of their codes.
  package var all: [(code: String, count: Int)] { counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

  /// The number of errors with a code.
  public internal(set) subscript(code: TransportError.Code) -> Int {
    get { counts[code.description] ?? 0 }
    set { counts[code.description] = newValue }
  }
}
