/// What `avahi-daemon.conf` says of interfaces.
package struct DaemonConfiguration: Hashable, Sendable {
  /// The only interfaces that the daemon uses; empty for all.
  package var allowed: [String] = []
  /// The interfaces that it does not use.
  package var denied: [String] = []

  package init() {}

  /// Reads the file. Lines that make no sense are skipped.
  package init(_ text: String) {
    var isServer = false
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") && !line.hasPrefix(";") {
      if line.hasPrefix("[") { isServer = line.hasPrefix("[server]") }
      guard isServer, let equals = line.firstIndex(of: "=") else { continue }
      let names = line[equals...].dropFirst().split { $0 == "," || $0.isWhitespace }.map(String.init)
      switch line[..<equals].filter({ !$0.isWhitespace }) {
      case "allow-interfaces": allowed = names
      case "deny-interfaces": denied = names
      default: break
      }
    }
  }

  func excludes(_ interface: String) -> Bool {
    denied.contains(interface) || (!allowed.isEmpty && !allowed.contains(interface))
  }
}
