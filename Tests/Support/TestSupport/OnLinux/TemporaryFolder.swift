import CBonjourishLinux
import Foundation

/// A folder of a test's own, which goes with it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "bonjourish-\(UUID().uuidString)"
    // Also while another test has changed the umask.
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  /// Waits until a file here has a text in it.
  ///
  /// - Parameter process: Who writes it; nil if the end of that is not waited for.
  /// - Throws: `ECHILD` if the process has ended without the text.
  package func until(_ file: String, contains text: String, writtenBy process: ChildProcess? = nil) async throws {
    let watch = inotify_init1(CInt(IN_CLOEXEC))
    defer { close(watch) }
    guard inotify_add_watch(watch, path, UInt32(IN_MOVED_TO | IN_CLOSE_WRITE)) >= 0 else { throw POSIXError(.EMFILE) }
    // A negative descriptor is not waited for (poll(2)).
    let end = process.map { linux_open_process($0.identifier) } ?? -1
    defer { if end >= 0 { close(end) } }
    var hasEnded = process != nil && end < 0
    let path = path + "/" + file
    while (try? String(contentsOfFile: path, encoding: .utf8))?.contains(text) != true {
      if hasEnded { throw POSIXError(.ECHILD) }
      hasEnded = await onThread {
        var requests = [watch, end].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&requests, 2, -1) < 0, linux_errno() == EINTR {}
        if requests[0].revents != 0 {
          var events = [UInt8](repeating: 0, count: 4_096)
          _ = read(watch, &events, events.count)
        }
        return requests[1].revents != 0
      }
    }
  }

  /// The sorted names of what is in the folder.
  package func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
