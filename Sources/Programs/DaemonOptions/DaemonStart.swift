import CBonjourishLinux
package import _BonjourishConsole
package import _BonjourishDaemonConfiguration
package import _BonjourishDaemonService
package import _BonjourishSimpleSocket

/// What a daemon does with its process and its files before it serves, and what comes of it.
package final class DaemonStart {
  /// The folder of the PID file and the socket.
  private static let folder = "/run/avahi-daemon"

  /// The configuration.
  package let settings: AvahiSettings
  /// The PID file, to remove at the end.
  package let processFile: ProcessFile
  /// Held until the process ends.
  private let lock: ProcessLock
  private var background: Background?
  private var listener: SimpleListener?

  /// Reads the configuration, goes on in the background, makes the folder of the sockets, gives up the rights of root, takes the lock,
  /// listens, writes the PID file, and sets limits, as far as the command line says so.
  ///
  /// The process must have no second thread yet, which would not come along into the background.
  ///
  /// - Parameters:
  ///   - command: The command line.
  ///   - diagnostics: Its log.
  /// - Throws: `Failure`, which says what was tried, why it failed and what to do.
  package init(_ command: DaemonCommand, _ diagnostics: Diagnostics) throws(Failure) {
    if command.dropsRoot, geteuid() != 0 {
      throw Failure(
        .notPermitted, "bonjourishd gives up the rights of root when it begins: start it as root, or with --no-drop-root")
    }
    ServiceProcess.ignoreSignals()
    settings = try Self.settings(in: command.file)
    do throws(ServiceProcess.Failure) {
      if let running = ProcessFile.running(), running != getpid() { throw ServiceProcess.Failure(alreadyRunning: running) }
      let account = command.dropsRoot ? try ServiceProcess.Account.ofDaemon() : .ofProcess
      if command.daemonizes { background = try Background() }
      try ServiceProcess.makeFolder(Self.folder, for: account)
      // Root makes no file in a folder of another user, who could put a link in its place.
      if command.dropsRoot { try ServiceProcess.become(account) }
      // Before anything is replaced that a daemon may use.
      lock = try ProcessLock()
      listener = try Self.listen()
      processFile = try ProcessFile()
    } catch {
      throw Failure(.unavailable, error.description)
    }
    for remark in settings.remarks { diagnostics.log(remark.isWarning ? .warning : .notice, remark.text) }
    for warning in command.setsLimits ? ServiceProcess.limit(settings.resourceLimits) : [] { diagnostics.warning(warning) }
    if !ServiceProcess.hasNameService {
      diagnostics.warning(
        "the programs of this machine find no host in .local without nss-mdns; install it (Debian: libnss-mdns)")
    }
    diagnostics.notice("bonjourishd \(Version.current) starting up.")
    ServiceManager.current?.tell(.status("bonjourishd \(Version.current) starting up."))
  }

  /// As ``init(_:_:)``; writes the failure, and exits with its code.
  package static func orExit(_ command: DaemonCommand, _ diagnostics: Diagnostics) -> DaemonStart {
    do throws(Failure) {
      return try DaemonStart(command, diagnostics)
    } catch {
      diagnostics.error(error.message)
      // Whoever starts a daemon looks at the terminal, not into the log.
      if command.usesSystemLog { Output.error.line("bonjourishd: \(error.message)") }
      exit(error.code.rawValue)
    }
  }

  /// The socket of the simple protocol; nil from the second time on.
  package func takeListener() -> SimpleListener? { listener.take() }

  /// Tells whoever waits that the daemon serves: the service manager, and the process in the foreground.
  package func becomeReady() {
    ServiceManager.current?.tell(.ready)
    if let background = background.take() { background.becomeReady() }
  }

  private static func settings(in path: String) throws(Failure) -> AvahiSettings {
    do throws(SettingsError) {
      guard let bytes = try BoundedFile.read(path) else {
        throw SettingsError(path, "there is no such file; name the configuration with --file")
      }
      return try AvahiSettings(bytes, path: path)
    } catch {
      throw Failure(.usage, error.description)
    }
  }

  private static func listen() throws(ServiceProcess.Failure) -> SimpleListener {
    do throws(SimpleListener.Failure) {
      if let inherited = try SimpleListener.inherited() { return inherited }
      return try SimpleListener()
    } catch {
      throw ServiceProcess.Failure(error.description)
    }
  }
}
