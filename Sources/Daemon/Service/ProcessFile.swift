import CBonjourishLinux
import _BonjourishDaemonConfiguration
import _BonjourishEventLoop

/// The PID file, by which the daemon is found: its number, and a line ending.
///
/// It is not what keeps two daemons from running: that is ``ProcessLock``. Whether the process of a file that a killed daemon left is the
/// daemon is known by its name.
package struct ProcessFile {
  /// Avahi's, so that whoever looks for the daemon finds this one.
  package static let path = "/run/avahi-daemon/pid"
  /// The names of a process that is the daemon.
  package static let names: Set<String> = ["bonjourishd", "avahi-daemon"]

  private let path: String

  /// Writes the file.
  ///
  /// - Parameters:
  ///   - path: Its path, in a folder that exists.
  ///   - names: The names of a process that is another daemon.
  /// - Throws: ``ServiceProcess/Failure`` if another daemon runs, or the file cannot be written.
  package init(_ path: String = Self.path, names: Set<String> = Self.names) throws(ServiceProcess.Failure) {
    if let running = Self.running(path, names: names), running != getpid() {
      throw ServiceProcess.Failure(alreadyRunning: running)
    }
    do throws(SystemError) {
      // One that a daemon of another user has left could not be written; the folder is this one's.
      unlink(path)
      let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY
      let descriptor = OwnedDescriptor(try systemCall("open") { linux_open(path, flags, 0o644) })
      // Whatever the umask is: everybody may see whether the daemon runs.
      try systemCall("fchmod") { fchmod(descriptor.number, 0o644) }
      let text = Array("\(getpid())\n".utf8)
      try systemCall("write") { write(descriptor.number, text, text.count) }
    } catch {
      throw ServiceProcess.Failure(
        "the PID file \(path) cannot be written (\(error)); does its folder belong to the daemon's user?")
    }
    self.path = path
  }

  /// Removes the file, unless another daemon has replaced it. If the folder does not belong to the daemon's user, it stays, with the
  /// number of a process that has ended.
  package func remove() {
    guard Self.process(in: path) == getpid() else { return }
    unlink(path)
  }

  /// The process that a PID file names.
  private static func process(in path: String) -> pid_t? {
    guard let bytes = try? BoundedFile.read(path, limit: 32) else { return nil }
    return pid_t(String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self))
  }

  /// The process of the daemon that runs; nil if none does.
  ///
  /// - Parameters:
  ///   - path: The path of the PID file. The lock is beside it.
  ///   - names: The names of a process that is the daemon.
  ///   - processes: The folder that the system shows processes in (proc(5)).
  package static func running(
    _ path: String = Self.path, names: Set<String> = Self.names, processes: String = "/proc"
  ) -> Int32? {
    guard let process = process(in: path), process > 1, kill(process, 0) == 0 || linux_errno() == EPERM else { return nil }
    guard let status = status(of: process, in: processes) else {
      // Without the folder the number has to be enough. With it, the process is another user's and hidden from this one: it is the
      // daemon if somebody has the lock. Whoever may not know that is not the daemon's user, and sees only that the daemon has made one.
      guard status(of: getpid(), in: processes) != nil else { return process }
      let lock = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/lock"
      return ProcessLock.isHeld(lock) == false ? nil : process
    }
    // One that was killed may wait for its parent to notice.
    return names.contains(status.name) && status.state != "Z" ? process : nil
  }

  /// The name of a process and the letter of its state (proc(5)); nil if it cannot be seen.
  private static func status(of process: Int32, in folder: String) -> (name: String, state: Character?)? {
    guard let bytes = try? BoundedFile.read("\(folder)/\(process)/stat", limit: 4_096) else { return nil }
    // The name is in parentheses, and may contain some.
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.firstIndex(of: "("), let end = text.lastIndex(of: ")"), start < end else { return nil }
    return (String(text[start..<end].dropFirst()), text[end...].dropFirst(2).first)
  }

  /// Sends a signal to the daemon that runs.
  ///
  /// - Parameters:
  ///   - signal: Its number.
  ///   - waiting: The longest time to wait until the daemon has ended; nil for not at all.
  ///   - path: The path of the PID file.
  ///   - names: The names of a process that is the daemon.
  /// - Throws: ``ServiceProcess/Failure`` if none runs, it may not be signalled, or it runs on.
  package static func send(
    _ signal: CInt, waiting: Duration? = nil, _ path: String = Self.path, names: Set<String> = Self.names
  ) throws(ServiceProcess.Failure) {
    guard let process = running(path, names: names) else {
      throw ServiceProcess.Failure("no daemon runs: \(path) is not there, or names no daemon")
    }
    do throws(SystemError) {
      // Waits for this process, even if another gets its number.
      let end = OwnedDescriptor(try systemCall("pidfd_open") { linux_open_process(process) })
      try systemCall("kill") { kill(process, signal) }
      guard let waiting else { return }
      var request = pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)
      let count = try systemCall("poll") { poll(&request, 1, CInt(waiting.nanosecondsRoundedUp / 1_000_000)) }
      if count == 0 { throw SystemError("poll", errno: ETIMEDOUT) }
    } catch {
      throw ServiceProcess.Failure(
        error.errno == ETIMEDOUT
          ? "process \(process) has not ended yet" : "process \(process) cannot be signalled (\(error)); are you root?")
    }
  }
}
