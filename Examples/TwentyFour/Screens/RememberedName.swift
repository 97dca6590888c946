import Foundation
import Names
import TwentyFour
import _BonjourishPrivateFiles

/// The name that the player gave last, in the player's own file.
///
/// It is `bonjourish/name` below `$XDG_CONFIG_HOME`, or below `~/.config` if that is not set (XDG Base Directory
/// Specification).
struct RememberedName: Hashable, Sendable {
  /// The reason why the name could not be read or written.
  struct Problem: Error, Hashable {
    let path: String
    let reason: String
  }

  let path: String

  /// The file according to the process's environment.
  static var current: RememberedName? {
    let environment = ProcessInfo.processInfo.environment
    return RememberedName { environment[$0] }
  }

  /// Returns nil if the environment names no folder.
  init?(environment: (String) -> String?) {
    // The specification says to ignore relative paths.
    if let folder = environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") {
      path = folder + "/bonjourish/name"
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      path = home + "/.config/bonjourish/name"
    } else {
      return nil
    }
  }

  /// The name; nil if none was written so far.
  func read() throws(Problem) -> PlayerName? {
    do {
      guard let bytes = try file.read() else { return nil }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem(path: path, reason: Phrases.notUTF8) }
      return try PlayerName(typed: text)
    } catch {
      throw problem(error)
    }
  }

  /// Writes the name atomically, and creates missing folders.
  func write(_ name: PlayerName) throws(Problem) {
    do {
      try FileManager.default.createDirectory(
        at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try file.write(Array("\(name.text)\n".utf8))
    } catch {
      throw problem(error)
    }
  }

  /// Much more than a name, so that what else is there is told apart from a file that is too long.
  private var file: PrivateFile { PrivateFile(path, maximumSize: 4_096) }

  private func problem(_ error: any Error) -> Problem {
    switch error {
    case let problem as Problem: problem
    case let error as PrivateFileError: Problem(path: path, reason: error.message)
    case let error as PlayerName.Invalid: Problem(path: path, reason: error.description)
    default: Problem(path: path, reason: error.localizedDescription)
    }
  }
}
