import _BonjourishBase

/// Why a file of the daemon cannot be used: the file, the line and the reason.
package struct SettingsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's path.
  package let path: String
  /// The line, from 1; nil if the reason is none of a line.
  package let line: Int?
  /// What is wrong, and what to do.
  package let reason: String
  /// Whether nothing is known of the file, and it may be read the next time.
  package let isPassing: Bool

  package init(_ path: String, line: Int? = nil, _ reason: String, isPassing: Bool = false) {
    self.path = path
    self.line = line
    self.reason = reason
    self.isPassing = isPassing
  }

  /// `path:line: reason`, escaped for display.
  package var description: String {
    "\(path)\(line.map { ":\($0)" } ?? ""): \(reason)".escapedForDisplay
  }
}
