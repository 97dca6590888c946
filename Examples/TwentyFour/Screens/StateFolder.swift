import Foundation
public import FramedSecurity
import FramedTransport
public import _BonjourishConsole

/// The folder of a user's files that are worth keeping: results, the user's key, and the keys of rooms (XDG Base Directory
/// Specification).
public enum StateFolder {
  /// The folder's path: `bonjourish` below `$XDG_STATE_HOME`, or below `~/.local/state` if that is not set.
  public static var path: String {
    let environment = ProcessInfo.processInfo.environment
    // The specification says to ignore relative paths.
    func folder(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    return (folder("XDG_STATE_HOME") ?? (folder("HOME") ?? NSHomeDirectory()) + "/.local/state") + "/bonjourish"
  }

  /// Makes the folder, only for its owner, unless it exists.
  public static func make() throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// The user's key, by which hosts and players know each other again.
  ///
  /// If there is none and no file can be kept, it is a new one, and a warning is written.
  ///
  /// - Throws: ``Failure`` with exit code 74 if there is a file that cannot be read or used: it is not replaced.
  public static func identity(_ diagnostics: Diagnostics) throws(Failure) -> Identity {
    do throws(TransportError) {
      do {
        try make()
      } catch {
        diagnostics.warning(Phrases.keyNotKept(error.localizedDescription))
        return try .ephemeral()
      }
      do throws(TransportError) {
        return try .stored(at: path + "/key.pem")
      } catch {
        guard error.code != .unusableKey, !FileManager.default.fileExists(atPath: path + "/key.pem") else { throw error }
        diagnostics.warning(Phrases.keyNotKept(error.description))
        return try .ephemeral()
      }
    } catch {
      throw Failure(.inputOutput, error.description)
    }
  }

  /// The keys of rooms that were joined before.
  ///
  /// If there is no folder and none can be made, they are forgotten at the end, and a warning is written. A key that cannot be
  /// written into the file is an error of the first visit.
  ///
  /// - Throws: ``Failure`` with exit code 74 if there is a file that cannot be used: it is not ignored.
  public static func pins(_ diagnostics: Diagnostics) throws(Failure) -> PinStore {
    do {
      try make()
    } catch {
      diagnostics.warning(Phrases.keysNotKept(error.localizedDescription))
      return PinStore()
    }
    do throws(TransportError) {
      return try PinStore(at: path + "/known-keys")
    } catch {
      throw Failure(.inputOutput, error.description)
    }
  }
}
