import CBonjourishLinux

/// From here on, each line that `print` writes leaves the process as soon as it is complete.
///
/// Without this, what is written into a pipe or the journal stays in the process until there are some kilobytes, and is lost if the
/// process is killed. Call it once, at the start. It is safe beside a thread that reads standard input; `fflush(nil)` is not, because it
/// waits for that thread.
public func writeStandardOutputByLine() {
  linux_buffer_lines()
}
