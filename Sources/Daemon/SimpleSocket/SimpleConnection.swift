import CBonjourishLinux
import _BonjourishEventLoop

/// One client's socket. Confined to its loop.
final class SimpleConnection {
  private let descriptor: OwnedDescriptor
  private var watch: DescriptorSource?
  private var unwritten: [UInt8] = []

  init(_ number: CInt) {
    descriptor = OwnedDescriptor(number)
  }

  deinit {
    watch?.cancel(beforeClosing: true)
  }

  /// The user at the other end when it connected.
  var user: UInt32 {
    var credentials: (process: Int32, user: UInt32, group: UInt32) = (0, .max, .max)  // struct ucred
    var size = socklen_t(MemoryLayout.size(ofValue: credentials))
    _ = getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
    return credentials.user
  }

  func begin(on loop: EventLoop, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    watch = try loop.watch(descriptor.number, for: .readable, handler)
  }

  /// Waits for what is still to be read or written.
  func update(isReading: Bool) {
    var interest: DescriptorEvents = isReading ? .readable : []
    if !unwritten.isEmpty { interest.insert(.writable) }
    watch?.update(interest)
  }

  /// What has arrived: nothing if the client has closed its side; nil for not yet.
  ///
  /// - Throws: ``SystemError`` when the connection is broken.
  func read() throws(SystemError) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 2_048)
    do throws(SystemError) {
      let count = try systemCall("read") { CBonjourishLinux.read(descriptor.number, &buffer, buffer.count) }
      return Array(buffer[..<count])
    } catch {
      guard error.errno == EAGAIN else { throw error }
      return nil
    }
  }

  /// Writes what there is room for.
  ///
  /// - Returns: The number of bytes that were written.
  /// - Throws: ``SystemError`` when the connection is broken.
  func write(_ bytes: [UInt8] = []) throws(SystemError) -> Int {
    unwritten += bytes
    guard !unwritten.isEmpty else { return 0 }
    do throws(SystemError) {
      let count = try systemCall("send") {
        send(descriptor.number, unwritten, unwritten.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
      }
      unwritten.removeFirst(count)
      return count
    } catch {
      guard error.errno == EAGAIN else { throw error }
      return 0
    }
  }
}
