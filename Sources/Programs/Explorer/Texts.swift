import _BonjourishDiscovery

/// Texts about services, escaped for display.
enum Texts {
  /// The type, with the domain unless it is local.
  static func type(of instance: ServiceInstance) -> String {
    instance.domain == .local ? "\(instance.type)" : "\(instance.type).\(instance.domain)"
  }

  /// Where a service is seen: interfaces with address families, and directories.
  static func places(of service: DiscoveredService) -> String {
    service.sources.map { source in
      let families = service.links.filter { $0.source == source }.map { $0.family == .ipv4 ? "IPv4" : "IPv6" }
      return source.interface == nil ? "\(source)" : "\(source) (\(families.joined(separator: ", ")))"
    }.joined(separator: ", ")
  }

  /// The entries of a TXT record: `key="value"`, or `key` if it has no value; bytes that are not UTF-8 are `\xFF`.
  static func entries(of txt: TXTRecord) -> [String] {
    txt.map { key, value in
      switch value {
      case .flag: key.escapedForDisplay
      case .bytes(let bytes): "\(key.escapedForDisplay)=\"\(bytes.escapedForDisplay)\""
      }
    }
  }

  /// A duration in seconds, or in minutes and hours.
  static func duration(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    if seconds < 60 { return "\(seconds) s" }
    let minutes = seconds / 60
    return minutes < 60 ? "\(minutes) min \(seconds % 60) s" : "\(minutes / 60) h \(minutes % 60) min"
  }

  /// The time of day of a number of seconds since midnight, such as `12:03:10`.
  static func clock(_ seconds: Int) -> String {
    let time = ((seconds % 86_400) + 86_400) % 86_400
    return [time / 3_600, time / 60 % 60, time % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }

  /// A number with the right form of a noun.
  static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
