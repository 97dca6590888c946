import CBonjourishLinux
package import Foundation

extension FileHandle {
  /// Waits for bytes and takes what is there, at most 64 KiB; nothing at the end.
  ///
  /// A signal does not disturb it. `availableData` ends the whole process when one comes.
  package func available() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var result: Int
      repeat {
        result = CBonjourishLinux.read(fileDescriptor, buffer.baseAddress, buffer.count)
      } while result < 0 && linux_errno() == EINTR
      count = max(result, 0)
    }
  }

  /// All that is left, when the end has come.
  package func availableToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    while case let more = available(), !more.isEmpty { bytes += more }
    return bytes
  }
}
