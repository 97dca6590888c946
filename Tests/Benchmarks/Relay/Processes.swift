import CBonjourishLinux

/// How much processor time processes have used.
enum Processes {
  /// The processor time of a process so far, in seconds.
  static func seconds(of process: pid_t) -> Double {
    guard let file = fopen("/proc/\(process)/stat", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let count = fread(&buffer, 1, buffer.count, file)
    let text = String(decoding: buffer[..<count], as: UTF8.self)
    // After the name in parentheses; the 14th and 15th field are user and system time in ticks of 10 ms.
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return 0 }
    return (user + system) / 100
  }
}
