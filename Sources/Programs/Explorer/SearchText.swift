import _BonjourishDiscovery

/// What is searched of a service, in lower case: its texts as bytes, so that thousands of services are searched in a moment.
struct SearchText: Sendable {
  private let bytes: [UInt8]

  /// Between two texts; no name has it, and no text that is sought.
  private static let separator: UInt8 = 0x0A

  init(of service: DiscoveredService) {
    bytes = Array(Self.fields(of: service).joined(separator: "\n").lowercased().utf8)
  }

  /// The texts: name, type, interfaces, host, port, addresses and the entries of the TXT record.
  static func fields(of service: DiscoveredService) -> [String] {
    var fields = [service.instance.name.text, "\(service.instance.type)"]
    if service.instance.domain != .local { fields.append(service.instance.domain.text) }
    fields += service.sources.map(\.name)
    guard let endpoint = service.endpoint else { return fields }
    fields += [endpoint.host.text, String(endpoint.port)] + endpoint.addresses.map(\.description)
    for (key, value) in endpoint.txt { fields.append(value.text.map { "\(key)=\($0)" } ?? key) }
    return fields
  }

  /// Whether one of the texts contains a text in lower case.
  func contains(_ needle: [UInt8]) -> Bool {
    guard let first = needle.first else { return true }
    guard needle.count <= bytes.count, !needle.contains(Self.separator) else { return false }
    var place = 0
    let last = bytes.count - needle.count
    while place <= last {
      if bytes[place] == first, bytes[place..<place + needle.count].elementsEqual(needle) { return true }
      place += 1
    }
    return false
  }
}

/// What `/` shows of the list: the services that fulfil all its terms.
struct ListFilter: Hashable, Sendable {
  /// A part of what was typed.
  private struct Term: Hashable {
    /// The same as a condition of `--filter`.
    let condition: ServiceFilter
    /// The text that is sought, if it has no wildcards and is about everything.
    let needle: [UInt8]?

    /// The keys after which a `=` means a property; whatever else has one is sought as it is.
    private static let keys = ["name", "type", "domain", "interface", "host", "port", "address", "any"]

    init?(_ text: String) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let isAboutProperty =
        parts.count == 2 && (Self.keys.contains(parts[0]) || (parts[0].hasPrefix("txt:") && parts[0].count > 4))
      let (key, sought) = isAboutProperty ? (parts[0], parts[1]) : ("any", text)
      let hasWildcards = sought.contains("*") || sought.contains("?")
      let glob = hasWildcards ? sought : sought.isEmpty ? "*" : "*\(sought)*"
      guard let condition = ServiceFilter("\(key)=\(glob)") else { return nil }
      self.condition = condition
      needle = key == "any" && !hasWildcards ? Array(sought.lowercased().utf8) : nil
    }
  }

  /// What was typed.
  let text: String
  private let terms: [Term]

  /// Reads what was typed: terms between spaces, of which each is a text that is somewhere in the service, or `KEY=TEXT` for one of its
  /// properties. `*` and `?` are wildcards; a text without them may be anywhere.
  ///
  /// - Returns: nil for nothing.
  init?(_ typed: String) {
    let words = typed.split(separator: " ").map(String.init)
    terms = words.compactMap(Term.init)
    text = words.joined(separator: " ")
    if terms.isEmpty { return nil }
  }

  /// The same as conditions of `--filter`.
  var conditions: [ServiceFilter] { terms.map(\.condition) }

  func matches(_ entry: Entry) -> Bool {
    terms.allSatisfy { term in term.needle.map(entry.search.contains) ?? term.condition.matches(entry.service) }
  }
}
