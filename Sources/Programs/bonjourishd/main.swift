#if Daemon
import _BonjourishBase
import _BonjourishConsole
import _BonjourishDaemon
import _BonjourishDaemonMachine
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishSignals

let isVerbose = CommandLine.arguments.contains("--debug")
let (failures, failure) = AsyncStream.makeStream(of: String.self)

do {
  let loop = try EventLoop(name: "bonjourishd")
  let daemon = try await Daemon(
    DaemonSettings(), version: "bonjourish \(Version.current)", on: loop,
    log: { message in if isVerbose || message.level > .debug { Output.error.line(message.description) } },
    news: { news in if case .failed(let reason) = news { failure.yield(reason) } })
  _ = try await withTerminationSignals {
    await daemon.start()
    for await reason in failures {
      Output.error.line(reason.escapedForDisplay)
      return
    }
  }
  await daemon.close()
} catch {
  Output.error.line("\(error)")
}
#endif
