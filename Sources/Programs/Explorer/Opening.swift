package import _BonjourishDiscovery

/// How a service is opened: with a program of a fixed list, by the address and the port that it was resolved to.
///
/// What a host tells reaches the program as an address, a number and at most a path of plain characters. There is no shell, and no
/// argument can be taken for an option.
package struct Opening: Hashable, Sendable {
  /// The programs that are started.
  package enum Program: String, Hashable, Sendable, CaseIterable {
    case browser = "xdg-open"
    case ssh
    case sftp
  }

  package let program: Program
  package let arguments: [String]

  /// Whether the program talks with the user on this terminal.
  package var needsTerminal: Bool { program != .browser }

  /// The command as a line, for people.
  package var line: String { ShellWords.line([program.rawValue] + arguments) }

  /// The reason why a service cannot be opened: a sentence without capital and full stop.
  package struct Refusal: Error, Hashable, Sendable {
    package let message: String
    /// The words of a command that does what was wanted, for people; empty for none.
    package var advice: [String] = []
  }

  /// Chooses how to open a service.
  ///
  /// - Throws: ``Refusal`` if it is not resolved, or its type is not one of those that can be opened.
  package init(_ instance: ServiceInstance, _ endpoint: Endpoint?) throws(Refusal) {
    guard instance.type.transport == .tcp, let way = Self.ways[instance.type.name.lowercased()] else {
      throw Refusal(message: "no program is known that opens \(instance.type)", advice: Self.advice(about: instance))
    }
    guard let endpoint, let address = endpoint.addresses.first else {
      throw Refusal(message: "its address is not known yet; it is opened when a host has answered")
    }
    switch way {
    case .url:
      guard let url = Self.url(of: instance, endpoint), let best = Self.addressForURL(endpoint), best.zone == nil else {
        throw Refusal(message: "only link-local IPv6 addresses are known, which browsers do not open; copy the address with y")
      }
      (program, arguments) = (.browser, [url])
    case .ssh: (program, arguments) = (.ssh, ["-p", String(endpoint.port), "--", address.description])
    case .sftp:
      // sftp takes what is behind a colon for a path.
      let host = address.family == .ipv6 ? "[\(address)]" : address.description
      (program, arguments) = (.sftp, ["-P", String(endpoint.port), "--", host])
    }
  }

  /// The command for a service of the game that comes with this program.
  private static func advice(about instance: ServiceInstance) -> [String] {
    guard instance.type.name.lowercased() == "twentyfour", instance.type.transport == .tcp else { return [] }
    return ["twentyfour-join"] + (instance.name.text.hasPrefix("-") ? ["--"] : []) + [instance.name.text]
  }

  private enum Way {
    case url(String)
    case ssh, sftp
  }

  /// The types that can be opened, all over TCP.
  private static let ways: [String: Way] = [
    "http": .url("http"), "https": .url("https"), "ipp": .url("http"), "ipps": .url("https"), "octoprint": .url("http"),
    "home-assistant": .url("http"), "ftp": .url("ftp"), "smb": .url("smb"), "rfb": .url("vnc"), "ssh": .ssh, "sftp-ssh": .sftp,
  ]

  // MARK: - URLs

  /// The URL of a service: of a printer, that of its page.
  ///
  /// - Returns: nil if its type has none, or no address is known.
  package static func url(of instance: ServiceInstance, _ endpoint: Endpoint) -> String? {
    guard instance.type.transport == .tcp, case .url(let scheme)? = ways[instance.type.name.lowercased()],
      let address = addressForURL(endpoint)
    else { return nil }
    return "\(scheme)://\(address.urlHost):\(endpoint.port)\(path(in: endpoint.txt, of: instance.type) ?? "/")"
  }

  /// Browsers accept no zone: another address comes first.
  private static func addressForURL(_ endpoint: Endpoint) -> IPAddress? {
    endpoint.addresses.first { $0.zone == nil } ?? endpoint.addresses.first
  }

  /// The path that web servers tell (DNS-SD, `path`), if it consists of plain characters and leads nowhere else.
  static func path(in txt: TXTRecord, of type: ServiceType) -> String? {
    guard ["http", "https"].contains(type.name.lowercased()), let path = txt.text("path"), (1...200).contains(path.utf8.count),
      path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy(isPlain)
    else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.contains("..") || path.contains("//") ? nil : path
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: "-._~/".utf8.contains(byte)
    }
  }
}
