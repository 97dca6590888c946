#if Daemon
import CBonjourishLinux
import _BonjourishConsole
import _BonjourishDaemon
import _BonjourishDaemonConfiguration
import _BonjourishDaemonMachine
import _BonjourishDaemonOptions
import _BonjourishDaemonService
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishSignals
import _BonjourishSimpleProtocol
import _BonjourishSimpleSocket

/// Puts the daemon, the simple socket and the files together, and serves until a signal or a failure. Sendable: `files` and `socket` are
/// used on the loop only, `start` before it runs and on it, and the rest never changes.
final class Serving: @unchecked Sendable {
  private let start: DaemonStart
  private let diagnostics: Diagnostics
  private let manager = ServiceManager.current
  private var socket: SimpleSocket?
  private var files: FollowedFiles?

  init(_ start: DaemonStart, _ diagnostics: Diagnostics) {
    self.start = start
    self.diagnostics = diagnostics
  }

  /// - Returns: The exit code of the process.
  func run() async -> Int32 {
    defer { start.processFile.remove() }
    do {
      let loop = try EventLoop(name: "bonjourishd")
      let (failures, failure) = AsyncStream.makeStream(of: String.self)
      let daemon = try await Daemon(
        DaemonSettings(start.settings), version: "bonjourish \(Version.current)", on: loop, log: { self.log($0) },
        news: { news in
          switch news {
          case .ready: self.start.becomeReady()
          case .failed(let reason): failure.yield(reason)
          }
        })
      await daemon.start()
      do {
        try await onLoop(loop) { try self.serve(daemon, on: loop) }
      } catch {
        failure.yield("\(error)")
      }
      let reloads = SignalWatch(for: [SIGHUP]) { _, _ in loop.execute { self.reload() } }
      let outcome = try await withTerminationSignals { () -> String? in
        for await reason in failures { return reason }
        return nil
      }
      reloads.stop()
      manager?.tell(.stopping)
      try await onLoop(loop) { self.end() }
      await daemon.close()
      switch outcome {
      case .terminated(let signal):
        diagnostics.notice("Got \(signal), quitting.")
        return ExitCode.done.rawValue
      case .finished(let reason):
        diagnostics.error(reason ?? "the daemon has ended")
        return ExitCode.unavailable.rawValue
      }
    } catch let error as DiscoveryError {
      diagnostics.error(error.message)
      return ExitCode.unavailable.rawValue
    } catch {
      diagnostics.error("\(error)")
      return ExitCode.software.rawValue
    }
  }

  private func log(_ message: LogMessage) {
    let level: Diagnostics.Level =
      switch message.level {
      case .debug: .detail
      case .info: .notice
      case .warning: .warning
      }
    diagnostics.log(level, message.text)
    if message.text.hasPrefix("Server startup complete") { manager?.tell(.status(message.text)) }
  }

  private func onLoop(_ loop: EventLoop, _ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      loop.execute { continuation.resume(with: Result(catching: body)) }
    }
  }

  // MARK: - On the loop

  private func serve(_ daemon: Daemon, on loop: EventLoop) throws {
    if let listener = start.takeListener() {
      socket = try SimpleSocket(
        listener, on: loop, limits: SimpleServer.Limits(openFiles: ServiceProcess.openFiles),
        lookUp: { daemon.lookUp($0, $1) }, log: { [unowned self] in log($0) })
    }
    files = FollowedFiles(
      ServiceFolder(path: "/etc/avahi"), on: loop,
      FollowedFiles.Handlers(
        services: { files in daemon.assumeIsolated { $0.publish(files: files.mapValues(\.staticServices)) } },
        hosts: { hosts in
          daemon.assumeIsolated { $0.publish(hosts: hosts.map { StaticHost(name: $0.name.text, address: $0.address) }) }
        }, log: { [unowned self] in log($0) }))
  }

  private func reload() {
    manager?.tell(.reloading)
    diagnostics.notice("Got SIGHUP, reloading.")
    files?.reload()
    manager?.tell(.ready)
  }

  private func end() {
    files?.stop()
    socket?.close()
    (files, socket) = (nil, nil)
  }
}
#endif
