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

  /// Waits until a file that is put into place here as a whole has a text in it.
  package func until(_ file: String, contains text: String) async throws {
    let watch = inotify_init1(CInt(IN_CLOEXEC))
    defer { close(watch) }
    guard inotify_add_watch(watch, path, UInt32(IN_MOVED_TO)) >= 0 else { throw POSIXError(.EMFILE) }
    let path = path + "/" + file
    while (try? String(contentsOfFile: path, encoding: .utf8))?.contains(text) != true {
      _ = await onThread {
        var events = [UInt8](repeating: 0, count: 4_096)
        return read(watch, &events, events.count)
      }
    }
  }

  /// The sorted names of what is in the folder.
  package func contents() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }
}
