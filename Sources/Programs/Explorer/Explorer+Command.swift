import _BonjourishDiscovery

/// The command that shows the same.
extension Explorer {
  /// The command of what is seen, as a shell reads it, or a comment that says why there is none.
  var command: String {
    if let commandWords { return line(commandWords) }
    if case .reading = mode { return "# these keys are in the manual page, bonjourish(1)" }
    return "# no single command lists what is marked; y copies that of each service"
  }

  /// The words of the command of what is seen: the doctor's report, the service whose details are open, or the list; nil if there is none.
  var commandWords: [String]? {
    if case .reading(let pane) = mode {
      switch pane {
      case .report: return ["bonjourish", "doctor"] + settings.examination
      case .help: return nil
      }
    }
    if focus == .details, let service = selectedEntry?.service { return words(for: service.instance) }
    return listWords
  }

  /// Words as a line of a shell, of characters that the terminal shows.
  func line(_ words: [String]) -> String { ShellWords.line(words, isUnicode: settings.isUnicode) }

  /// The words of the command that lists the same; nil if there is none.
  var listWords: [String]? {
    var sought = settings.sought.map { $0.map(short) } ?? ["--all"]
    var words: [String] = []
    for filter in settings.filters + (tree.filter?.conditions ?? []) { words += ["--filter", filter.text] }
    if tree.listsMarkedOnly {
      // A service fulfils all conditions, so that they can be about the name of one service only.
      guard count == 1, let only = shown.first?.instance else { return nil }
      if sought.count > 1 || settings.sought == nil { sought = self.sought(for: only) }
      words += ["--filter", "name=\(Self.glob(of: only.name))"]
    }
    words += settings.options
    // Conditions and orders that need it do it by themselves.
    if asksToResolveAll || tree.grouping == .host { words.append("--resolve") }
    if tree.order != .name { words += ["--sort", tree.order.rawValue] }
    return Self.words("browse", sought, words + settings.network)
  }

  /// The words of the command that finds the host, port and addresses of a service.
  func words(for instance: ServiceInstance) -> [String] {
    let (name, type) = (instance.name, short("\(instance.type)"))
    let words = settings.network.droppingDomain + (instance.domain == .local ? [] : ["--domain", "\(instance.domain)"])
    // Elsewhere the text would not be the name: it has characters that are not shown as they are.
    // Nor where it is composed when a command reads it.
    guard name.text == name.description, !name.text.unicodeScalars.contains("\u{FFFD}"), (try? InstanceName(name.text)) == name,
      Self.isPlain(type)
    else {
      return Self.words(
        "browse", sought(for: instance), ["--once", "--resolve", "--filter", "name=\(Self.glob(of: name))"] + words)
    }
    return Self.words("resolve", [name.text, type], words)
  }

  /// A glob that a name matches, of characters that are shown as they are.
  private static func glob(of name: InstanceName) -> String {
    String(name.text.map { $0 == "*" || "\($0)".escapedForDisplay != "\($0)" ? "?" : $0 })
  }

  /// The type of a service, if commands read it, or all types.
  private func sought(for instance: ServiceInstance) -> [String] {
    let type = short("\(instance.type)")
    return [Self.isPlain(type) ? type : "--all"]
  }

  /// A type as people write it.
  private func short(_ text: String) -> String {
    (try? ServiceType(text)).flatMap(settings.shortName) ?? text
  }

  private static func isPlain(_ type: String) -> Bool {
    type.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-._".utf8.contains($0) }
  }

  /// The words of a command; operands that begin with a hyphen come after `--`.
  private static func words(_ verb: String, _ operands: [String], _ options: [String]) -> [String] {
    let needsMark = verb != "browse" && operands.contains { $0.hasPrefix("-") }
    return ["bonjourish", verb] + (needsMark ? options + ["--"] + operands : operands + options)
  }
}

extension [String] {
  /// The words without `--domain` and its value.
  fileprivate var droppingDomain: [String] {
    guard let place = firstIndex(of: "--domain") else { return self }
    return Array(self[..<place] + self[(place + 2)...])
  }
}
