import _BonjourishDiscovery

extension AvahiSettings {
  /// Reads `avahi-daemon.conf`.
  ///
  /// Each key of Avahi 0.8 is obeyed, is in ``remarks``, or is an error. As with avahi-daemon, the first of two lines for one key
  /// counts; the others are remarks.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - path: Its path, for errors.
  /// - Throws: ``SettingsError`` for a file that avahi-daemon refuses, a value that makes no sense, and a key that asks for what must
  ///   not be left undone silently: the reflector, other domains than `local`, the checks against other programs and routers.
  package init(_ bytes: some Collection<UInt8>, path: String) throws(SettingsError) {
    self.init()
    var reader = SettingsReader(path: path)
    try reader.read(try SettingsFile(bytes, path: path).entries)
    self = reader.settings
  }
}

/// Reads assignments one by one.
struct SettingsReader {
  let path: String
  var settings = AvahiSettings()
  private var seen: [String: Int] = [:]
  /// The assignment that is read.
  private(set) var entry = SettingsFile.Entry(group: "", key: "", value: "", line: 0)

  init(path: String) { self.path = path }

  mutating func read(_ entries: [SettingsFile.Entry]) throws(SettingsError) {
    for entry in entries {
      self.entry = entry
      let isFirst = seen[entry.group + "/" + entry.key] == nil
      let before = settings
      switch entry.group {
      case "server": try readServer()
      case "publish": try readPublish()
      case "wide-area": try readWideArea()
      case "reflector": try readReflector()
      case "rlimits": try readLimit()
      default:
        throw wrong("there is no group [\(entry.group)]; the groups are server, wide-area, publish, reflector and rlimits")
      }
      if isFirst {
        seen[entry.group + "/" + entry.key] = entry.line
      } else {
        // Even what does not count has to make sense.
        settings = before
        warn("is given a second time, and line \(seen[entry.group + "/" + entry.key]!) counts")
      }
    }
  }

  // MARK: - What is wrong

  func wrong(_ reason: String) -> SettingsError { SettingsError(path, line: entry.line, reason) }

  var unknownKey: SettingsError { wrong("there is no key \"\(entry.key)\" in the group [\(entry.group)]") }

  /// An assignment that is not obeyed, and must not be left undone.
  func refused(_ reason: String) -> SettingsError { wrong("\(entry.key)=\(entry.value) is refused: \(reason)") }

  /// Notes that an assignment is not obeyed.
  mutating func warn(_ reason: String) { note(reason, isWarning: true) }

  mutating func note(_ reason: String, isWarning: Bool = false) {
    let text = SettingsError(path, line: entry.line, "\(entry.key)=\(entry.value) \(reason)").description
    settings.remarks.append(AvahiSettings.Remark(isWarning: isWarning, text: text))
  }

  // MARK: - Values

  /// What begins with y, 1 or t means yes, as for avahi-daemon. Avahi takes everything else for no; here it has to mean no.
  func truth() throws(SettingsError) -> Bool {
    let value = entry.value.lowercased()
    if let first = value.first, "y1t".contains(first) { return true }
    guard value.isEmpty || value == "off" || "n0f".contains(value.first!) else {
      throw wrong("\(entry.key) must be yes or no, not \"\(entry.value)\"")
    }
    return false
  }

  /// A number, decimal, or hexadecimal after 0x, or octal after 0, as strtoul(3) reads it.
  func number() throws(SettingsError) -> UInt64 {
    let value = entry.value.lowercased()
    let number =
      value.hasPrefix("0x")
      ? digits(value.dropFirst(2), radix: 16)
      : value.hasPrefix("0") ? digits(value[...], radix: 8) : digits(value[...], radix: 10)
    guard let number else { throw wrong("\(entry.key) must be a whole number of at least 0, not \"\(entry.value)\"") }
    return number
  }

  /// Without the signs that `UInt64.init` would read.
  private func digits(_ text: Substring, radix: Int) -> UInt64? {
    text.utf8.first.map { $0 == 0x2B || $0 == 0x2D } ?? true ? nil : UInt64(text, radix: radix)
  }

  /// A limit of the daemon; nil for 0, which stands for the daemon's own limit.
  func limit() throws(SettingsError) -> Int? {
    let number = try number()
    guard number <= UInt64(UInt32.max) else {
      throw wrong("\(entry.key) must be at most \(UInt32.max), not \"\(entry.value)\"")
    }
    return number == 0 ? nil : Int(number)
  }

  func domain(_ text: some StringProtocol) throws(SettingsError) -> DomainName {
    do throws(DiscoveryError) {
      return try DomainName(String(text))
    } catch {
      throw wrong("\"\(text)\" in \(entry.key) is no domain name: \(error.message)")
    }
  }
}
