import CBonjourishLinux

/// The processes of the machine, as far as this user may see them.
enum ProcessTable {
  /// The time in which the search ends.
  private static let timeout: Duration = .milliseconds(400)

  /// Finds the processes that have sockets.
  ///
  /// - Parameter inodes: The numbers of the sockets.
  /// - Returns: The processes by the sockets' numbers. One process is named for a socket that several share.
  static func owners(of inodes: Set<UInt64>) -> [UInt64: PortSocket.Owner] {
    guard !inodes.isEmpty else { return [:] }
    let deadline = ContinuousClock.now + timeout
    var owners: [UInt64: PortSocket.Owner] = [:]
    for process in SystemFiles.names(in: "/proc").compactMap({ Int($0) }) {
      guard owners.count != inodes.count, ContinuousClock.now < deadline else { break }
      for name in SystemFiles.names(in: "/proc/\(process)/fd") {
        guard let inode = SystemFiles.link("/proc/\(process)/fd/\(name)").flatMap(inode), inodes.contains(inode) else {
          continue
        }
        owners[inode] = PortSocket.Owner(process: process, name: self.name(of: process) ?? "unknown")
      }
    }
    return owners
  }

  /// The number in a link such as `socket:[123]`.
  static func inode(_ link: String) -> UInt64? {
    guard link.hasPrefix("socket:["), link.hasSuffix("]") else { return nil }
    return UInt64(link.dropFirst(8).dropLast())
  }

  static func name(of process: Int) -> String? {
    SystemFiles.text("/proc/\(process)/comm")?.split(separator: "\n").first.map(String.init)
  }

  /// The state of a process and the time in clock ticks from the start of the machine to its own.
  static func state(of process: Int) -> (letter: Character, start: Int)? {
    SystemFiles.text("/proc/\(process)/stat").flatMap(state(in:))
  }

  /// Reads a line of `/proc/PID/stat`. The process's name, in parentheses, may contain anything.
  static func state(in line: String) -> (letter: Character, start: Int)? {
    guard let end = line.lastIndex(of: ")") else { return nil }
    let fields = line[end...].dropFirst().split(separator: " ")
    guard fields.count > 19, let letter = fields[0].first, let start = Int(fields[19]) else { return nil }
    return (letter, start)
  }
}
