import CBonjourishLinux
import _BonjourishEventLoop

/// Reads files and folders of the system. What cannot be read is nil or empty.
enum SystemFiles {
  /// The longest file that is read, in bytes; the rest is left out.
  private static let maximumBytes = 4 << 20

  /// The content of a file as text. Bytes that are not UTF-8 are replaced.
  static func text(_ path: String) -> String? {
    (try? readFile(path, upTo: maximumBytes)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The content of a file that is a number.
  static func number(_ path: String) -> Int? {
    text(path).flatMap { Int($0.prefix { !$0.isWhitespace }) }
  }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The names in a folder, without those that begin with a dot.
  static func names(in folder: String) -> [String] {
    ((try? listFolder(folder)) ?? []).filter { !$0.hasPrefix(".") }
  }

  /// What a symbolic link points to.
  static func link(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!, $0.count) }
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}
