import CBonjourishLinux

/// The argument list of the process, which all users of the machine can read (`ps`, `/proc/PID/cmdline`).
enum ArgumentList {
  /// Overwrites secrets in it, as values of their own or behind a `=`. Who looks sees one asterisk.
  ///
  /// Call it as early as possible: before, the secrets were to be seen. `CommandLine.arguments` must have been read before.
  static func wipe(_ secrets: Set<String>) {
    guard !secrets.isEmpty else { return }
    for place in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[place] else { continue }
      let text = String(cString: argument)
      if secrets.contains(text) {
        wipe(argument)
      } else if text.hasPrefix("--"), let sign = strchr(argument, CInt(UInt8(ascii: "="))),
        secrets.contains(String(cString: sign + 1))
      {
        wipe(sign + 1)
      }
    }
  }

  private static func wipe(_ text: UnsafeMutablePointer<CChar>) {
    explicit_bzero(text, strlen(text))
    text.pointee = CChar(UInt8(ascii: "*"))
  }
}
