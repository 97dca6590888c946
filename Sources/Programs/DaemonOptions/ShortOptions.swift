/// The short options of avahi-daemon, with which scripts and units call it.
enum ShortOptions {
  private static let names: [Character: String] = [
    "D": "daemonize", "s": "syslog", "k": "kill", "r": "reload", "c": "check", "V": "version", "h": "help", "f": "file",
  ]

  /// Arguments with each short option in its long form. Those that are not known stay as they are.
  static func expanded(_ arguments: [String]) -> [String] {
    var result: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      guard argument != "--" else { return result + [argument] + rest }
      // The value of an option is none itself.
      if argument == "--file" {
        result += [argument] + (rest.popFirst().map { [$0] } ?? [])
      } else {
        result += expanded(argument, &rest)
      }
    }
    return result
  }

  private static func expanded(_ argument: String, _ rest: inout ArraySlice<String>) -> [String] {
    guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return [argument] }
    var result: [String] = []
    var letters = argument.dropFirst()
    while let letter = letters.popFirst() {
      guard let name = names[letter] else { return [argument] }
      result.append("--" + name)
      guard letter == "f" else { continue }
      if let value = letters.isEmpty ? rest.popFirst() : String(letters) { result.append(value) }
      break
    }
    return result.isEmpty ? [argument] : result
  }
}
