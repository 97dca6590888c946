import CLinux
import Discovery
import EventLoop

/// The file with the name that one service got after conflicts.
struct NameFile {
  private let path: String

  /// - Parameters:
  ///   - requested: The service, with the name that was requested.
  ///   - folder: The path of an existing folder.
  init(of requested: ServiceInstance, in folder: String) {
    path = "\(folder)/\(Self.fileName(of: requested))"
  }

  /// A name that is a valid file name, differs for different services, and is readable.
  ///
  /// Comparison of names ignores the case of ASCII letters. Other bytes than letters, digits, `-`, `_` and inner dots are written as
  /// `%` and two hexadecimal digits. A long name ends with its hash instead.
  static func fileName(of requested: ServiceInstance) -> String {
    let text = "\(requested.name.text).\(requested.type).\(requested.domain.text)"
    var name = ""
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325  // FNV-1a
    for (place, byte) in text.utf8.enumerated() {
      let byte = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: ".") where place > 0:
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        name += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return name.utf8.count <= 200 ? name : "\(name.prefix(180))-\(String(hash, radix: 16))"
  }

  /// The name in the file; nil if there is no file, or something else is in it.
  func read() throws(SystemError) -> InstanceName? {
    let descriptor: CInt
    do throws(SystemError) {
      descriptor = try systemCall("open") { linux_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0) }
    } catch  where error.errno == ENOENT {
      return nil
    }
    defer { close(descriptor) }
    // One more than a name and the end of its line, to notice a longer file.
    var bytes = [UInt8](repeating: 0, count: InstanceName.maximumByteCount + 2)
    let count = try systemCall("read") { bytes.withUnsafeMutableBytes { CLinux.read(descriptor, $0.baseAddress, $0.count) } }
    guard count < bytes.count, bytes[..<count].last == UInt8(ascii: "\n") else { return nil }
    return String(validating: bytes[..<(count - 1)], as: UTF8.self).flatMap { try? InstanceName($0) }
  }

  /// Writes the name to a new file, which then takes the place of the former one.
  func write(_ name: InstanceName) throws(SystemError) {
    let new = "\(path).\(getpid()).new"
    // Of an earlier process with this number, which was killed.
    unlink(new)
    let descriptor = try systemCall("open") { linux_open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) }
    do throws(SystemError) {
      defer { close(descriptor) }
      let line = Array("\(name.text)\n".utf8)
      let count = try systemCall("write") { line.withUnsafeBytes { CLinux.write(descriptor, $0.baseAddress, $0.count) } }
      guard count == line.count else { throw SystemError("write", errno: ENOSPC) }
      try systemCall("fsync") { fsync(descriptor) }
      try systemCall("rename") { rename(new, path) }
    } catch {
      unlink(new)
      throw error
    }
  }

  func remove() throws(SystemError) {
    do throws(SystemError) {
      try systemCall("unlink") { unlink(path) }
    } catch  where error.errno == ENOENT {
      return
    }
  }
}
