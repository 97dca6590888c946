import CBonjourishLinux

/// What the system says of a process.
enum ProcessFigures {
  /// The processor time that this process has used, in nanoseconds.
  static var cpuNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// What a line of /proc/PID/status says, such as `VmRSS`, in bytes; nil when there is no such process on this machine.
  static func memory(of process: UInt32, _ line: String) -> Int? {
    guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
    defer { fclose(file) }
    var text = [CChar](repeating: 0, count: 256)
    while fgets(&text, CInt(text.count), file) != nil {
      let words = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        .split { $0 == ":" || $0.isWhitespace }
      if words.count > 1, words[0] == line { return Int(words[1]).map { $0 * 1024 } }
    }
    return nil
  }
}

extension ProcessFigures {
  static var processNumber: UInt32 { UInt32(getpid()) }
}
