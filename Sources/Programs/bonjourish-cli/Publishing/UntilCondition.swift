import CBonjourishLinux
import _BonjourishConsole
import _BonjourishEventLoop

/// The value of `--until`: whose end ends the command.
enum UntilCondition: Hashable {
  /// `pid:N`: the end of a process.
  case process(Int32)
  /// `fd:N`: the end of what can be read from an inherited descriptor.
  case descriptor(Int32)

  static let format = ValueFormat<UntilCondition>(
    "pid:N, with the number of a process, or fd:N, with that of an open descriptor"
  ) {
    UntilCondition($0)
  }

  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int32(parts[1]) else {
      return nil
    }
    switch parts[0] {
    case "pid" where number > 0: self = .process(number)
    case "fd": self = .descriptor(number)
    default: return nil
    }
  }

  /// Begins to watch the process or the descriptor.
  ///
  /// - Throws: ``Failure`` when there is no such process or descriptor, or it cannot be waited for.
  func begin() throws(Failure) -> AwaitedEnd {
    switch self {
    case .process(let id): try AwaitedEnd(descriptor: Self.open(process: id), isStream: false)
    case .descriptor(let descriptor):
      try AwaitedEnd(descriptor: Self.checked(descriptor), isStream: true)
    }
  }

  private static func open(process id: Int32) throws(Failure) -> CInt {
    do throws(SystemError) {
      return try systemCall("pidfd_open") { linux_open_process(id) }
    } catch {
      switch error.errno {
      case ESRCH: throw Failure(.unavailable, "--until pid:\(id): there is no process \(id); it may have ended already")
      case EINVAL: throw Failure(.usage, "--until pid:\(id): \(id) is a thread; give the number of its process")
      case ENOSYS, EPERM:
        throw Failure(
          .unavailable,
          "--until pid:\(id): this system cannot wait for processes of others (pidfd_open needs Linux 5.3, and to be allowed in a "
            + "container); give fd:N, with a pipe that the process keeps open")
      default: throw Failure(.unavailable, "--until pid:\(id): \(error)")
      }
    }
  }

  /// Checks that a descriptor was inherited, which is seen by the flag that all own ones have, and can be read.
  private static func checked(_ descriptor: Int32) throws(Failure) -> CInt {
    let flags = (try? systemCall("fcntl") { linux_fcntl(descriptor, F_GETFD, 0) }) ?? FD_CLOEXEC
    let mode = (try? systemCall("fcntl") { linux_fcntl(descriptor, F_GETFL, 0) }) ?? O_WRONLY
    guard flags & FD_CLOEXEC == 0 else {
      throw Failure(
        .usage, "--until fd:\(descriptor): this descriptor is not open; open it in the shell, as in \(descriptor)<pipe")
    }
    guard mode & O_ACCMODE != O_WRONLY else {
      throw Failure(.usage, "--until fd:\(descriptor): this descriptor is open for writing only; give one that can be read")
    }
    return descriptor
  }
}

/// An end that is waited for.
struct AwaitedEnd: Sendable {
  let descriptor: CInt
  /// Whether the end is that of what can be read; otherwise, readability is the end.
  let isStream: Bool

  init(descriptor: CInt, isStream: Bool) throws(Failure) {
    self.descriptor = descriptor
    self.isStream = isStream
    var status = stat()
    guard isStream, fstat(descriptor, &status) == 0,
      [S_IFREG, S_IFDIR].contains(where: { status.st_mode & mode_t(S_IFMT) == mode_t($0) })
    else { return }
    throw Failure(
      .usage,
      "--until fd:\(descriptor): this descriptor is a file, which has no end to wait for; give a pipe, socket or terminal")
  }

  /// Returns when the end has come, or the task is cancelled. What is read from a stream is dropped.
  func wait() async {
    let ended = Observed(false)
    startThread { [descriptor, isStream] in
      var buffer = [UInt8](repeating: 0, count: 4_096)
      while true {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard (try? systemCall("poll") { poll(&request, 1, -1) }) != nil, isStream else { break }
        do throws(SystemError) {
          if try systemCall("read", { read(descriptor, &buffer, buffer.count) }) == 0 { break }
        } catch {
          // Another process that shares the descriptor may have made it non-blocking, and read the bytes.
          if error.errno != EAGAIN { break }
        }
      }
      ended.change { $0 = true }
    }
    _ = await ended.take { $0 ? true : nil }
  }
}
