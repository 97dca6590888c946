import CBonjourishLinux
import _BonjourishConsole
import _BonjourishEventLoop

/// A file that the command line names: a regular one, or a pipe of the shell's, such as `<(program)`.
enum InputFile {
  /// Reads a file, of which no more than `limit` bytes and a few are read.
  ///
  /// A pipe may be silent for as long as its writer likes, so it is read on a thread of its own, and a signal ends the program
  /// meanwhile. A FIFO that nobody writes to is an error at once.
  static func content(of path: String, upTo limit: Int) async throws -> [UInt8] {
    do throws(SystemError) {
      // Otherwise opening a FIFO waits for a writer.
      let descriptor = try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0) }
      var status = stat()
      _ = try systemCall("fstat") { fstat(descriptor, &status) }
      let kind = status.st_mode & mode_t(S_IFMT)
      if kind == mode_t(S_IFREG) {
        defer { close(descriptor) }
        return try read(descriptor, upTo: limit)
      }
      let result = Observed<Result<[UInt8], SystemError>?>(nil)
      startThread {
        defer { close(descriptor) }
        let content = Result { () throws(SystemError) in try read(descriptor, upTo: limit) }
        result.change { $0 = content }
      }
      // Nil if the task is cancelled: then the process ends, and its thread with it.
      guard let content = try await result.take({ $0 })?.get() else { return [] }
      if !content.isEmpty || kind != mode_t(S_IFIFO) { return content }
    } catch {
      throw Failure(.inputOutput, "reading \(path): \(error.reason); give a file that can be read")
    }
    try Task.checkCancellation()
    throw Failure(.inputOutput, "reading \(path): it is empty, or nobody writes to it; give a file, or start its writer first")
  }

  private static func read(_ descriptor: CInt, upTo limit: Int) throws(SystemError) -> [UInt8] {
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while content.count <= limit {
      do throws(SystemError) {
        let count = try systemCall("read") { CBonjourishLinux.read(descriptor, &buffer, buffer.count) }
        guard count > 0 else { break }
        content += buffer[..<count]
      } catch {
        guard error.errno == EAGAIN else { throw error }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        try systemCall("poll") { poll(&request, 1, -1) }
      }
    }
    return content
  }
}
