/// One number of a snapshot of metrics, such as those of discovery or of a listener, for a system that collects them.
public struct Metric: Hashable, Sendable {
  /// How a number changes.
  public enum Kind: String, Hashable, Sendable {
    /// It only grows.
    case counter
    /// It goes up and down.
    case gauge
  }

  /// The name in the form of Prometheus, such as `bonjourish_messages_total`. The names of counters end with `_total`, and those of
  /// numbers of bytes contain `bytes`.
  public let name: String
  /// How the number changes.
  public let kind: Kind
  /// What tells the numbers of one name apart, such as `family` with the value `ipv4`.
  public let labels: [String: String]
  /// The number.
  public let value: Int

  /// - Parameter name: The name without its first part, and without `_total`.
  package init(_ name: String, _ kind: Kind, _ value: Int, _ labels: [String: String] = [:]) {
    self.name = "bonjourish_\(name)\(kind == .counter ? "_total" : "")"
    self.kind = kind
    self.labels = labels
    self.value = value
  }
}
