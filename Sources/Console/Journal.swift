import Glibc

/// The system's journal, which reads what services write on standard error.
package enum Journal {
  /// Whether what is written on standard error goes to the journal: `JOURNAL_STREAM` names its device and inode
  /// (systemd.exec(5)), and a program that has it from a service further up is connected to something else.
  package static let isConnected: Bool = {
    var status = stat()
    guard let stream = getenv("JOURNAL_STREAM"), fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }()

  /// A line as the journal takes it, with its priority in front (sd-daemon(3)).
  static func line(_ text: String, _ level: Diagnostics.Level) -> String {
    "<\(level.priority)>\(text)"
  }
}

extension Diagnostics.Level {
  /// The priority that syslog(3) has for it.
  fileprivate var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .detail: 7
    }
  }
}
