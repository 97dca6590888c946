import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishPrivateFiles

/// The file with the name that one service got after conflicts.
struct NameFile {
  private let file: PrivateFile

  /// - Parameters:
  ///   - requested: The service, with the name that was requested.
  ///   - folder: The path of an existing folder.
  init(of requested: ServiceInstance, in folder: String) {
    // Much more than a name, so that something else is told apart from a file that must not be read.
    file = PrivateFile("\(folder)/\(Self.fileName(of: requested))", maximumSize: 4_096)
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
        name += "%\(byte.hexadecimal)"
      }
    }
    return name.utf8.count <= 200 ? name : "\(name.prefix(180))-\(String(hash, radix: 16))"
  }

  /// The name in the file; nil if there is no file, or something else is in it.
  func read() throws(PrivateFileError) -> InstanceName? {
    guard let bytes = try file.read(), bytes.last == UInt8(ascii: "\n") else { return nil }
    return String(validating: bytes.dropLast(), as: UTF8.self).flatMap { try? InstanceName($0) }
  }

  /// Replaces the name.
  func write(_ name: InstanceName) throws(PrivateFileError) {
    try file.write(Array("\(name.text)\n".utf8))
  }

  func remove() throws(PrivateFileError) {
    try file.remove()
  }
}
