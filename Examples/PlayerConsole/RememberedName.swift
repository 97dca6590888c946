import Glibc
import Terminal
import TwentyFour

/// The name that the player gave last, in a file of his own.
///
/// It is `bonjourish/name` below `$XDG_CONFIG_HOME`, or below `~/.config` if that is not set (XDG Base Directory Specification).
struct RememberedName: Hashable, Sendable {
  /// Why it could not be read or written.
  struct Problem: Error, Hashable {
    let path: String
    let reason: String
  }

  private static let longestFile = 1_024

  let path: String

  /// The one that the process's environment says.
  static var current: RememberedName? { RememberedName { name in getenv(name).map { String(cString: $0) } } }

  /// Nil when there is no place for files of the player's.
  init?(environment: (String) -> String?) {
    // Relative paths are invalid there, says the specification.
    if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      path = folder + "/bonjourish/name"
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      path = home + "/.config/bonjourish/name"
    } else {
      return nil
    }
  }

  /// The name; nil if none was written yet.
  func read() throws(Problem) -> PlayerName? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw problem(errno)
    }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: Self.longestFile)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    guard count >= 0 else { throw problem(errno) }
    guard let text = String(validating: buffer.prefix(count), as: UTF8.self) else {
      throw Problem(path: path, reason: "not UTF-8")
    }
    do {
      return try PlayerName(text)
    } catch {
      throw Problem(path: path, reason: error.description)
    }
  }

  /// Writes the name, whole or not at all, and makes the folders that are missing.
  func write(_ name: PlayerName) throws(Problem) {
    for slash in path.indices.dropFirst() where path[slash] == "/" { mkdir(String(path[..<slash]), 0o700) }
    let draft = "\(path).\(getpid())"
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw problem(errno) }
    var failure = writeAll(Array("\(name.text)\n".utf8), to: descriptor)
    if failure == nil, fsync(descriptor) != 0 { failure = errno }
    close(descriptor)
    if failure == nil, rename(draft, path) != 0 { failure = errno }
    guard let failure else { return }
    unlink(draft)
    throw problem(failure)
  }

  private func problem(_ number: Int32) -> Problem { Problem(path: path, reason: String(cString: strerror(number))) }
}
