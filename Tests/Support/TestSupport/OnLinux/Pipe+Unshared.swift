package import Foundation

extension Pipe {
  /// A pipe that programs started meanwhile by other tests do not inherit: its end is an end, however long they run.
  package static func unshared() -> Pipe {
    let pipe = Pipe()
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] { _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC) }
    return pipe
  }
}
