import _BonjourishDiscovery

/// The command that shows the same.
extension Explorer {
  /// The command of what is seen: of the service whose details are open, or of the list.
  var command: String {
    if focus == .details, let service = selectedEntry?.service { return command(for: service.instance) }
    return listCommand
  }

  /// The command that lists the same.
  var listCommand: String {
    var words: [String] = []
    for filter in settings.filters { words += ["--filter", filter.text] }
    if let filter = tree.filter { words += ["--filter", filter.condition.text] }
    words += settings.options
    // Conditions and orders that need it do it by themselves.
    if asksToResolveAll || tree.grouping == .host { words.append("--resolve") }
    if tree.order != .name { words += ["--sort", tree.order.rawValue] }
    words += settings.network
    return Self.line("browse", settings.sought.map { $0.map(short) } ?? ["--all"], words)
  }

  /// The command that finds the host, port and addresses of a service.
  func command(for instance: ServiceInstance) -> String {
    let (name, type) = (instance.name, short("\(instance.type)"))
    let words = settings.network.droppingDomain + (instance.domain == .local ? [] : ["--domain", "\(instance.domain)"])
    // Elsewhere the text would not be the name: it has characters that are not shown as they are.
    guard name.text == name.description, !name.text.unicodeScalars.contains("\u{FFFD}"), Self.isPlain(type) else {
      let glob = String(name.text.map { $0 == "*" || "\($0)".escapedForDisplay != "\($0)" ? "?" : $0 })
      let sought = Self.isPlain(type) ? [type] : ["--all"]
      return Self.line("browse", sought, ["--once", "--resolve", "--filter", "name=\(glob)"] + words)
    }
    return Self.line("resolve", [name.text, type], words)
  }

  /// A type as people write it.
  private func short(_ text: String) -> String {
    (try? ServiceType(text)).flatMap(settings.shortName) ?? text
  }

  private static func isPlain(_ type: String) -> Bool {
    type.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-._".utf8.contains($0) }
  }

  /// A command line; operands that begin with a hyphen come after `--`.
  private static func line(_ verb: String, _ operands: [String], _ options: [String]) -> String {
    let needsMark = verb != "browse" && operands.contains { $0.hasPrefix("-") }
    return ShellWords.line(["bonjourish", verb] + (needsMark ? options + ["--"] + operands : operands + options))
  }
}

extension [String] {
  /// The words without `--domain` and its value.
  fileprivate var droppingDomain: [String] {
    guard let place = firstIndex(of: "--domain") else { return self }
    return Array(self[..<place] + self[(place + 2)...])
  }
}
