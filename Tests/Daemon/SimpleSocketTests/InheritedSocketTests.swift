import CBonjourishLinux
import Foundation
import Testing
import _BonjourishEventLoop

@testable import _BonjourishSimpleSocket

/// The socket that a service manager has opened. Each test is a process of its own, whose variables it changes. The socket has another
/// descriptor there than 3, which is the test library's.
@Suite(.timeLimit(.minutes(1))) struct InheritedSocketTests {
  private enum Outcome: Equatable {
    case taken, none
    case failed(String)
  }

  /// A socket at an address of the system's choice, of this machine only.
  private static func open(_ domain: CInt, _ type: CInt, listening: Bool) -> CInt {
    let number = socket(domain, type, 0)
    var status: CInt
    if domain == AF_UNIX {
      var address = sockaddr(sa_family: sa_family_t(AF_UNIX), sa_data: sockaddr().sa_data)
      status = bind(number, &address, socklen_t(MemoryLayout<sa_family_t>.size))
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      status = withUnsafePointer(to: &address) {
        bind(number, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self), socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if listening, status == 0 { status = listen(number, 1) }
    guard status == 0 else { exit(9) }
    return number
  }

  /// Takes what a service manager says that it has opened.
  private static func take(_ opened: CInt, count: String = "1", for process: pid_t = getpid()) -> Outcome {
    let variables = ["LISTEN_PID": "\(process)", "LISTEN_FDS": count, "LISTEN_FDNAMES": "a", "LISTEN_PIDFDID": "1"]
    for (name, value) in variables { setenv(name, value, 1) }
    // Programs that this one starts have no such socket.
    defer { for name in variables.keys where getenv(name) != nil { exit(8) } }
    do throws(SimpleListener.Failure) {
      guard let listener = try SimpleListener.inherited(as: opened) else { return .none }
      // The service manager keeps the file.
      let isWhole =
        listener.file == nil && linux_fcntl(opened, F_GETFD, 0) == FD_CLOEXEC
        && linux_fcntl(opened, F_GETFL, 0) & O_NONBLOCK != 0
      let descriptor = listener.takeDescriptor()
      return isWhole && descriptor.number == opened ? .taken : .failed("it is not ready to be used")
    } catch {
      return .failed(error.description)
    }
  }

  @Test(arguments: [
    (AF_UNIX, CInt(SOCK_STREAM.rawValue), true, true), (AF_UNIX, CInt(SOCK_STREAM.rawValue), false, false),
    (AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), true, false), (AF_UNIX, CInt(SOCK_DGRAM.rawValue), false, false),
    (AF_INET, CInt(SOCK_STREAM.rawValue), true, false),
  ])
  func `a listening stream socket of this machine is taken, and no other`(
    domain: CInt, type: CInt, isListening: Bool, isTaken: Bool
  ) async {
    await #expect(processExitsWith: .exitCode(7)) { [domain, type, isListening, isTaken] in
      let opened = InheritedSocketTests.open(domain, type, listening: isListening)
      let reason = SystemError("getsockopt", errno: ENOTSUP)
      let refusal =
        "the service manager's socket is not what ListenStream=/run/avahi-daemon/socket with Accept=no gives (\(reason))"
      exit(InheritedSocketTests.take(opened) == (isTaken ? .taken : .failed(refusal)) ? 7 : 1)
    }
  }

  @Test func `what is no socket, and several sockets, are refused, and what is for another process is none`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // A number that nobody else gets once it is closed.
      let opened = dup2(linux_open("/dev/null", O_RDONLY, 0), 200)
      let end = " gives (\(SystemError("getsockopt", errno: ENOTSOCK)))"
      guard case .failed(let reason) = InheritedSocketTests.take(opened), reason.hasSuffix(end) else { exit(1) }
      // It is closed.
      guard linux_fcntl(opened, F_GETFD, 0) < 0 else { exit(2) }
      let several = "the service manager has opened 2 sockets; give one, ListenStream=/run/avahi-daemon/socket"
      guard InheritedSocketTests.take(opened, count: "2") == .failed(several) else { exit(3) }
      guard InheritedSocketTests.take(opened, count: "0") == .none, InheritedSocketTests.take(opened, for: getppid()) == .none
      else { exit(4) }
      exit(7)
    }
  }
}
