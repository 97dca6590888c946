/// The line of `--json --verbose` about who speaks mDNS.
package struct BackendRecord: Encodable {
  private let event = "backend"
  private let name: String

  package init(name: String) {
    self.name = name
  }
}
