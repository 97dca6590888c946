import CBonjourishLinux
// A program to be started by a service manager: tells what it was handed, then sends back every frame that comes, until one says
// "quit".
import FramedTransport

func isSet(_ flag: CInt, _ command: CInt, of descriptor: CInt) -> Bool {
  linux_fcntl(descriptor, command, 0) & flag != 0
}

/// Writes a line at once, for `print` keeps lines back when nobody is at a terminal.
func say(_ words: Any...) {
  let line = Array((words.map { "\($0)" }.joined(separator: " ") + "\n").utf8)
  _ = write(STDOUT_FILENO, line, line.count)
}

let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]
do {
  // One by its name, then the others; with argument "named" only the one.
  let listeners = try await Listener.inherited(named: "second") + Listener.inherited()
  say("environment", variables.contains { getenv($0) != nil } ? "kept" : "removed")
  for listener in listeners { say("listener", listener.name ?? "-", listener.addresses[0]) }
  for descriptor in 3..<CInt(3 + listeners.count) {
    let flags = (isSet(FD_CLOEXEC, F_GETFD, of: descriptor), isSet(O_NONBLOCK, F_GETFL, of: descriptor))
    say("descriptor", descriptor, flags.0 ? "closes" : "stays", flags.1 ? "returns" : "blocks")
  }
  say("ready", try await Listener.inherited().count)
  await withDiscardingTaskGroup { group in
    for listener in listeners {
      group.addTask {
        await listener.serve { connection in
          do throws(TransportError) {
            for try await frame in connection.frames {
              try await connection.send(frame)
              if frame == Array("quit".utf8) {
                await connection.close()
                for listener in listeners { await listener.close() }
              }
            }
          } catch {
            say("error", error)
          }
        }
      }
    }
  }
} catch {
  say("error", error.code, error)
  exit(1)
}
