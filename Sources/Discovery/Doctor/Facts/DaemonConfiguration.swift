package import _BonjourishDiscovery

/// What `avahi-daemon.conf` says of interfaces and address families.
package struct DaemonConfiguration: Hashable, Sendable {
  /// The only interfaces that the daemon uses; empty for all.
  package var allowed: [String] = []
  /// The interfaces that it does not use.
  package var denied: [String] = []
  /// The address families that it does not use.
  package var unused: Set<IPAddress.Family> = []

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
      case "use-ipv4": use(.ipv4, names.first)
      case "use-ipv6": use(.ipv6, names.first)
      default: break
      }
    }
  }

  /// The daemon takes what begins with y, Y, 1, t or T, and "on", for yes; here, only what is surely no counts.
  private mutating func use(_ family: IPAddress.Family, _ value: String?) {
    guard let value = value?.lowercased() else { return }
    if ["no", "n", "0", "false", "off"].contains(value) { unused.insert(family) } else { unused.remove(family) }
  }

  func excludes(_ interface: String) -> Bool {
    denied.contains(interface) || (!allowed.isEmpty && !allowed.contains(interface))
  }
}
