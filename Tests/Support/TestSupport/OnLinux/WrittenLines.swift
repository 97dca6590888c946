import CBonjourishLinux
import _BonjourishEventLoop

/// The lines that this process writes to a descriptor from now on. Only for processes of their own.
package final class WrittenLines: Sendable {
  private let source: CInt
  /// What has been read and is no whole line yet, or was not asked for.
  private let bytes = Locked<[UInt8]>([])

  /// - Parameter descriptor: Such as that of standard output.
  package init(to descriptor: CInt = STDOUT_FILENO) {
    var ends: [CInt] = [-1, -1]
    precondition(pipe(&ends) == 0 && dup2(ends[1], descriptor) >= 0, "no pipe can be made")
    close(ends[1])
    source = ends[0]
  }

  /// The next line, which is waited for.
  package func next() async throws -> String {
    try await blocking { [self] in
      bytes.withLock { bytes in
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while bytes.firstIndex(of: 10) == nil {
          let count = read(source, &buffer, buffer.count)
          guard count > 0 else { return "" }
          bytes += buffer.prefix(count)
        }
        let line = bytes.prefix { $0 != 10 }
        bytes.removeFirst(line.count + 1)
        return String(decoding: line, as: UTF8.self)
      }
    }
  }

  /// The next lines.
  package func next(_ count: Int) async throws -> [String] {
    var lines: [String] = []
    for _ in 0..<count { lines.append(try await next()) }
    return lines
  }

  /// The next line of which something is true; those before it are dropped.
  package func next(where isWanted: (String) -> Bool) async throws -> String {
    while true {
      let line = try await next()
      if isWanted(line) { return line }
    }
  }
}
