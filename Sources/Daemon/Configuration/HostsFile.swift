package import _BonjourishDiscovery

/// The names of other hosts that the daemon publishes: `/etc/avahi/hosts` (avahi.hosts(5)).
package enum HostsFile {
  /// One line: an address, and the name that is published for it.
  package struct Host: Hashable, Sendable {
    package let name: DomainName
    package let address: IPAddress
  }

  /// The most lines with an address.
  package static let maximumCount = 10_000

  /// Reads the file: on each line an address and a name, and nothing else; `#` begins a comment.
  ///
  /// - Throws: ``SettingsError`` for a line that is something else. avahi-daemon uses the lines before it; here none is used, so that
  ///   what is published stays what it was.
  package static func read(_ bytes: some Collection<UInt8>, path: String) throws(SettingsError) -> [Host] {
    var hosts: [Host] = []
    var known: Set<Host> = []
    for (index, bytes) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      func wrong(_ reason: String) -> SettingsError { SettingsError(path, line: index + 1, reason) }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong("the line is not text in UTF-8") }
      let words = text.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      guard let first = words.first else { continue }
      guard words.count == 2 else { throw wrong("write an address and one name, such as 192.0.2.1 router.local") }
      guard let address = IPAddress(String(first)), address.zone == nil else { throw wrong("\"\(first)\" is no IP address") }
      let host: Host
      do throws(DiscoveryError) {
        host = Host(name: try DomainName(String(words[1])), address: address)
      } catch {
        throw wrong("\"\(words[1])\" is no host name: \(error.message)")
      }
      guard known.insert(host).inserted else { continue }
      guard hosts.count < maximumCount else { throw wrong("the file has more than \(maximumCount) hosts") }
      hosts.append(host)
    }
    return hosts
  }
}
