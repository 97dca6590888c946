/// The line of `--json --verbose` that names the mDNS backend.
public struct BackendEvent: Encodable {
  private let event = "backend"
  private let name: String

  /// Makes the event of a backend, such as "avahi".
  public init(name: String) {
    self.name = name
  }
}
