/// The line of `--json --verbose` that names the mDNS backend.
public struct BackendRecord: Encodable {
  private let event = "backend"
  private let name: String

  /// Makes the record of a backend, such as "avahi".
  public init(name: String) {
    self.name = name
  }
}
