import CBonjourishLinux
import _BonjourishBase
import _BonjourishEventLoop

/// The service manager that started this process, such as systemd: it is told when the program is ready, and how it is (sd_notify(3)).
public struct ServiceManager: Sendable {
  /// What the manager is told.
  public enum State: Hashable, Sendable {
    /// The program has started, and does what it is there for.
    case ready
    /// The program reads its configuration again; `ready` follows.
    case reloading
    /// The program is ending.
    case stopping
    /// A sentence about the program, for its administrator. It is escaped for display.
    case status(String)

    var line: String {
      switch self {
      case .ready: "READY=1"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)"
      case .stopping: "STOPPING=1"
      case .status(let text): "STATUS=\(text.escapedForDisplay)"
      }
    }

    /// The time of the monotonic clock, with which a manager tells an old message from a new one.
    private static var microseconds: Int {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
    }
  }

  /// The manager that `NOTIFY_SOCKET` names; nil if there is none.
  public static let current: ServiceManager? = getenv("NOTIFY_SOCKET").flatMap { ServiceManager(socket: String(cString: $0)) }

  private let address: sockaddr_un
  private let size: socklen_t

  /// Makes a manager from the address of its socket: a path, or `@` and a name in the abstract namespace.
  ///
  /// - Returns: Nil for any other address, and one that is too long.
  init?(socket: String) {
    let bytes = Array(socket.utf8)
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "/") || bytes[0] == UInt8(ascii: "@") else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    // A path ends with a null byte; an abstract name begins with one.
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: isAbstract ? [0] + bytes.dropFirst() : bytes + [0]) }
    self.address = address
    size = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + bytes.count + (isAbstract ? 0 : 1))
  }

  /// Tells the manager something, in one datagram. A manager that cannot be reached is not told.
  ///
  /// - Returns: Whether it was told.
  @discardableResult
  public func tell(_ states: State...) -> Bool {
    let message = Array(states.map(\.line).joined(separator: "\n").utf8)
    var address = address
    do throws(SystemError) {
      let type = CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
      let descriptor = try systemCall("socket") { socket(AF_UNIX, type, 0) }
      defer { close(descriptor) }
      try withUnsafePointer(to: &address) { pointer throws(SystemError) in
        let pointer = UnsafeRawPointer(pointer).assumingMemoryBound(to: sockaddr.self)
        // A manager that does not read must not stop the program.
        _ = try systemCall("sendto") {
          sendto(descriptor, message, message.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT), pointer, size)
        }
      }
      return true
    } catch {
      return false
    }
  }
}
