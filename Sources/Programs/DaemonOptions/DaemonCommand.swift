import CBonjourishLinux
package import _BonjourishConsole
import _BonjourishDaemonService

/// The command line of `bonjourishd`, which is that of avahi-daemon.
package struct DaemonCommand: Hashable, Sendable {
  /// What the program is to do.
  package enum Action: Hashable, Sendable {
    /// Serve.
    case run
    /// End the daemon that runs (`--kill`).
    case kill
    /// Let the daemon that runs read its files again (`--reload`).
    case reload
    /// Say by the exit code whether a daemon runs (`--check`).
    case check
  }

  /// What the program is to do; only `run` needs the rest.
  package let action: Action
  /// The configuration file.
  package let file: String
  /// Whether it goes on in the background once it serves.
  package let daemonizes: Bool
  /// Whether it logs to syslog(3) instead of standard error.
  package let usesSystemLog: Bool
  /// Whether it logs details.
  package let isDebugging: Bool
  /// Whether it gives up the rights of root.
  package let dropsRoot: Bool
  /// Whether it sets the limits of the configuration file.
  package let setsLimits: Bool

  private static let file = Option<String>.optional(
    "file", "FILE", .file, default: "/etc/avahi/avahi-daemon.conf", "read this configuration (-f)")
  private static let daemonize = Option.flag("daemonize", "go on in the background once it serves; implies --syslog (-D)")
  private static let syslog = Option.flag("syslog", "log to syslog(3) instead of standard error (-s)")
  private static let kill = Option.flag("kill", "end the daemon that runs (-k)")
  private static let reload = Option.flag("reload", "let the daemon that runs read service files and hosts again (-r)")
  private static let check = Option.flag("check", "exit with 0 if a daemon runs, and with 1 if none does (-c)")
  private static let debug = Option.flag("debug", "log details")
  private static let noLimits = Option.flag("no-rlimits", "do not set the limits of [rlimits]")
  private static let noDropRoot = Option.flag("no-drop-root", "keep the user and the rights of whoever starts it")
  private static let noChroot = Option.flag("no-chroot", "accepted, and of no effect: it never changes the root folder")
  private static let noTitle = Option.flag("no-proc-title", "accepted, and of no effect: it never changes its title")

  /// The command line as it is declared.
  static let command = Command(
    "bonjourishd",
    summary: "Serves multicast DNS and service discovery to all programs of a machine, in place of avahi-daemon.",
    options: [file, daemonize, syslog, debug, noDropRoot, noLimits, noChroot, noTitle, check, kill, reload],
    exclusive: [[check, kill, reload]],
    examples: [
      .init("bonjourishd --no-drop-root --debug", "serve as this user, and show what happens"),
      .init("bonjourishd --check && echo runs", "see whether the daemon, or avahi-daemon, runs"),
    ],
    manual: manual)

  /// Parses the arguments of the process, also the short options of avahi-daemon. For `--help`, `--version` and a usage error, writes the
  /// text and exits.
  package static func parseOrExit() -> DaemonCommand {
    DaemonCommand(command.parseOrExit(ShortOptions.expanded(Array(CommandLine.arguments.dropFirst()))))
  }

  init(_ arguments: Arguments) {
    action = arguments[Self.check] ? .check : arguments[Self.kill] ? .kill : arguments[Self.reload] ? .reload : .run
    file = arguments[Self.file]
    daemonizes = arguments[Self.daemonize]
    usesSystemLog = arguments[Self.syslog] || daemonizes
    isDebugging = arguments[Self.debug]
    dropsRoot = !arguments[Self.noDropRoot]
    setsLimits = !arguments[Self.noLimits]
  }

  /// The log of the program.
  package var diagnostics: Diagnostics {
    let level = isDebugging ? Diagnostics.Level.detail : .notice
    guard usesSystemLog else { return Diagnostics(program: "bonjourishd", level: level) }
    Self.openSystemLog()
    return Diagnostics(level: level) { level, message in
      let priority =
        switch level {
        case .error: LOG_ERR
        case .warning: LOG_WARNING
        case .notice: LOG_NOTICE
        case .detail: LOG_DEBUG
        }
      linux_syslog(priority, message)
    }
  }

  private static func openSystemLog() {
    // syslog keeps the pointer, so that the name is never freed.
    openlog(strdup("bonjourishd"), LOG_PID, LOG_DAEMON)
  }

  /// Does what needs no daemon in this process, and exits; returns if the program is to serve.
  package func exitUnlessRunning() {
    do throws(ServiceProcess.Failure) {
      switch action {
      case .run: return
      case .check: exit((ProcessFile.running() == nil ? ExitCode.negative : .done).rawValue)
      case .kill: try ProcessFile.send(SIGTERM, waiting: .seconds(5))
      case .reload: try ProcessFile.send(SIGHUP)
      }
      exit(0)
    } catch {
      diagnostics.error(error.description)
      exit(ExitCode.unavailable.rawValue)
    }
  }
}
