import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDaemonService

@testable import _BonjourishConsole
@testable import _BonjourishDaemonOptions

/// How the daemon begins, and what needs none. Each test is a process of its own.
@Suite(.timeLimit(.minutes(1))) struct DaemonStartTests {
  private static func command(_ arguments: String...) throws -> DaemonCommand {
    DaemonCommand(try DaemonCommand.command.arguments(of: ShortOptions.expanded(arguments)))
  }

  @Test func `a configuration that is missing or wrong is exit code 64, with what to do`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/wrong.conf"
    for (file, words) in [("/nowhere/a.conf", "there is no such file; name the configuration with --file"), (path, "odd-key")] {
      let result = await #expect(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
        [file = file as String] in
        if let made = fopen(file, "w") {
          fputs("[server]\nodd-key=1\n", made)
          fclose(made)
        }
        let command = try DaemonStartTests.command("--no-drop-root", "-f", file)
        _ = DaemonStart.orExit(command, command.diagnostics)
        exit(1)
      }
      let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(errors.contains("bonjourishd: \(file)") && errors.contains(words), "\(errors)")
    }
  }

  @Test func `details are logged if that is asked for`() async {
    await #expect(processExitsWith: .success) {
      let errors = WrittenLines(to: STDERR_FILENO)
      for arguments in [[], ["--debug"]] {
        let diagnostics = DaemonCommand(try DaemonCommand.command.arguments(of: arguments)).diagnostics
        diagnostics.notice("notice")
        diagnostics.detail("detail")
      }
      #expect(try await errors.next(3) == ["bonjourishd: notice", "bonjourishd: notice", "bonjourishd: detail"])
      // Into the log of the system.
      try DaemonStartTests.command("-s").diagnostics.error("bonjourishd is tested")
      try DaemonStartTests.command().diagnostics.error("last")
      #expect(try await errors.next() == "bonjourishd: last")
    }
  }

  @Test func `whether a daemon runs is told by the exit code`() async {
    let isRunning = ProcessFile.running() != nil
    await #expect(processExitsWith: .exitCode(isRunning ? 0 : 1)) {
      try DaemonStartTests.command("-c").exitUnlessRunning()
      exit(7)
    }
    await #expect(processExitsWith: .exitCode(7)) {
      try DaemonStartTests.command().exitUnlessRunning()
      exit(7)
    }
    // One that runs is left alone.
    guard !isRunning else { return }
    for option in ["-k", "-r"] {
      let result = await #expect(processExitsWith: .exitCode(69), observing: [\.standardErrorContent]) {
        [option = option as String] in
        try DaemonStartTests.command(option).exitUnlessRunning()
        exit(7)
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("bonjourishd: "))
    }
  }
}
