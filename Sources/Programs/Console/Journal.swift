import CBonjourishLinux
import _BonjourishEventLoop

/// The system's journal, which reads what services write on standard error.
enum Journal {
  /// Whether standard error is connected to the journal. `JOURNAL_STREAM` holds the journal's device and inode
  /// (systemd.exec(5)). They are compared, because a program can inherit the variable and write elsewhere.
  static let isConnected: Bool = {
    var status = stat()
    guard let stream = getenv("JOURNAL_STREAM"), (try? systemCall("fstat") { fstat(STDERR_FILENO, &status) }) != nil else {
      return false
    }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }()

  /// A line in the journal's format: its priority, then the text (sd-daemon(3)).
  static func line(_ text: String, _ level: Diagnostics.Level) -> String {
    "<\(level.priority)>\(text)"
  }
}

extension Diagnostics.Level {
  /// The level's priority in syslog(3).
  fileprivate var priority: Int {
    switch self {
    case .error: 3
    case .warning: 4
    case .notice: 5
    case .detail: 7
    }
  }
}
