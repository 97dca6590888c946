#if Daemon
import CBonjourishLinux
import _BonjourishDaemonOptions

let command = DaemonCommand.parseOrExit()
command.exitUnlessRunning()
let diagnostics = command.diagnostics
// Before anything has made a thread, which would not come along into the background.
let start = DaemonStart.orExit(command, diagnostics)
exit(await Serving(start, diagnostics).run())
#endif
