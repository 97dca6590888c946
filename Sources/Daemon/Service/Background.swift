import CBonjourishLinux
import _BonjourishEventLoop

/// A process in the background, which a process in the foreground waits for until it is ready (`--daemonize`).
package struct Background: ~Copyable {
  /// The longest time to wait for it.
  private static let limit: CInt = 20_000

  private let ready: OwnedDescriptor

  /// Goes on in the background. The process in the foreground ends here: with exit code 0 once the other is ready, and 1 if that ends
  /// before, or is not ready after 20 seconds.
  ///
  /// - Throws: ``ServiceProcess/Failure`` if there is no process to have.
  package init() throws(ServiceProcess.Failure) {
    var ends: [CInt] = [-1, -1]
    do throws(SystemError) {
      try systemCall("pipe") { pipe(&ends) }
      let process = try systemCall("fork") { linux_detach() }
      if process > 0 {
        close(ends[1])  // so that the pipe ends when the process in the background does
        Self.wait(for: ends[0])
      }
      close(ends[0])
      try systemCall("fcntl") { linux_fcntl(ends[1], F_SETFD, FD_CLOEXEC) }
    } catch {
      throw ServiceProcess.Failure("the process cannot go on in the background (\(error))")
    }
    ready = OwnedDescriptor(ends[1])
    _ = chdir("/")
  }

  private static func wait(for reader: CInt) -> Never {
    var request = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    var byte: UInt8 = 1
    let count = (try? systemCall("poll") { poll(&request, 1, limit) }) == 1 ? read(reader, &byte, 1) : 0
    _exit(count == 1 ? 0 : 1)
  }

  /// Lets the process in the foreground end, and closes the terminal's descriptors.
  package consuming func becomeReady() {
    var byte: UInt8 = 0
    _ = write(ready.number, &byte, 1)
    let null = linux_open("/dev/null", O_RDWR | O_CLOEXEC, 0)
    guard null >= 0 else { return }
    for descriptor in STDIN_FILENO...STDERR_FILENO { dup2(null, descriptor) }
    if null > STDERR_FILENO { close(null) }
  }
}
