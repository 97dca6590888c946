import Foundation
import Testing

extension LAN {
  /// The daemon of each host, unless a test names another.
  static let daemon = ProcessInfo.processInfo.environment["LAN_DAEMON"] ?? "avahi-daemon"

  /// Whether a program, or a file at a path, is installed. `Tests/lan` looks into the same folders.
  static func has(_ name: String) -> Bool {
    guard !name.hasPrefix("/") else { return FileManager.default.fileExists(atPath: name) }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin", "/sbin"]
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
  }
}

extension Trait where Self == ConditionTrait {
  /// Skips a test where a program of a Debian package is not installed. `make deps` installs the package: where a LAN is required, so is it.
  static func needs(_ program: String, of package: String) -> Self {
    .enabled(if: LAN.has(program) || LAN.isRequired, "\(program) is not installed (\(package))")
  }

  /// Skips a test where a program of a Debian package is not installed that is too large for `make deps`.
  static func needs(_ program: String, ofLarge package: String) -> Self {
    .enabled(if: LAN.has(program), "\(program) is not installed (\(package), which `make deps` leaves out)")
  }

  /// Skips a test of what another daemon does not do by its nature.
  static func ofAvahiDaemon(_ reason: Comment) -> Self { .enabled(if: LAN.daemon == "avahi-daemon", reason) }
}
