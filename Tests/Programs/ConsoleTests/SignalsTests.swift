import CBonjourishLinux
import Foundation
import TestSupport
import Testing

@testable import _BonjourishConsole

/// Each test is a process of its own, because signals and their handlers belong to the process.
@Suite(.timeLimit(.minutes(1)))
struct SignalsTests {
  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a request to end cancels the body and waits for its goodbye`(number: Int32) async {
    await #expect(processExitsWith: .exitCode(7)) { [number] in
      let ending = try await ProgramSignals.cancelling {
        kill(getpid(), number)
        await untilCancelled()
        await Task.yield()
        Output.standard.line("goodbye")
        return "not of interest"
      }
      switch ending {
      case .finished: exit(1)
      case .terminated(let termination):
        let expected: [Int32: Termination] = [SIGINT: .interrupt, SIGTERM: .terminate, SIGHUP: .hangUp]
        exit(termination == expected[number] ? 7 : 2)
      }
    }
  }

  @Test func `a body that ends by itself gives its result or error`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard case .finished(3) = try await ProgramSignals.cancelling({ 3 }) else { exit(1) }
      do {
        _ = try await ProgramSignals.cancelling { throw Failure(.unavailable, "gone") }
        exit(2)
      } catch {
        exit(error as? Failure == Failure(.unavailable, "gone") ? 7 : 3)
      }
    }
  }

  @Test func `a request made before a task waits is not lost`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      ProgramSignals.prepare()
      kill(getpid(), SIGTERM)
      guard await ProgramSignals.termination() == .terminate, await ProgramSignals.termination() == .terminate else { exit(1) }
      exit(7)
    }
  }

  @Test func `waiting can be cancelled`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let task = Task { await ProgramSignals.termination() }
      task.cancel()
      exit(await task.value == nil ? 7 : 1)
    }
  }

  @Test func `a second interrupt ends the process at once`() async {
    await #expect(processExitsWith: .exitCode(130)) {
      _ = try await ProgramSignals.cancelling {
        kill(getpid(), SIGINT)
        await untilCancelled()
        kill(getpid(), SIGINT)
        while true { pause() }
      }
    }
  }

  @Test func `an administrator's signals arrive in order, at the program that asked for them`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      var notices = AdministratorSignal.all.makeAsyncIterator()
      kill(getpid(), SIGUSR1)
      guard await notices.next() == .statistics else { exit(1) }
      kill(getpid(), SIGUSR2)
      guard await notices.next() == .drain else { exit(2) }
      kill(getpid(), SIGTERM)
      exit(await ProgramSignals.termination() == .terminate ? 7 : 3)
    }
    await #expect(processExitsWith: .signal(SIGUSR1)) {
      ProgramSignals.prepare()
      kill(getpid(), SIGUSR1)
      while true { pause() }
    }
  }

  @Test func `what nohup ignores stays ignored`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      linux_ignore_signal(SIGHUP)
      ProgramSignals.prepare()
      kill(getpid(), SIGHUP)
      kill(getpid(), SIGTERM)
      exit(await ProgramSignals.termination() == .terminate ? 7 : 1)
    }
  }
}

@Suite(.timeLimit(.minutes(1)))
struct ProgramTests {
  @Test func `a failure is one line on standard error and its exit code`() async {
    let result = await #expect(processExitsWith: .exitCode(69), observing: [\.standardErrorContent, \.standardOutputContent]) {
      await Program.run(Diagnostics(program: "try")) {
        Output.standard.line("out")
        throw Failure(.unavailable, "no room\nhere; look elsewhere")
      }
    }
    let told = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(told?.contains("try: no room\\nhere; look elsewhere\n") == true)
    #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }?.contains("out\n") == true)
  }

  @Test func `a failure that has been told already is its exit code alone`() async {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      await Program.run(Diagnostics(program: "try")) {
        Output.error.line("nothing found")
        throw Failure(.negative, "")
      }
    }
    let told = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }
    #expect(told?.contains("nothing found\n") == true && told?.contains("try:") == false)
  }

  @Test func `a usage error is 64, an unforeseen one 70`() async {
    await #expect(processExitsWith: .exitCode(64)) {
      await Program.run(Diagnostics(program: "try")) { throw CommandTests.command.usageError("no") }
    }
    await #expect(processExitsWith: .exitCode(70)) {
      await Program.run(Diagnostics(program: "try")) { throw CocoaError(.fileNoSuchFile) }
    }
  }

  @Test func `a terminated program says goodbye and exits with 0`() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      await Program.run(Diagnostics(program: "try")) {
        kill(getpid(), SIGTERM)
        await untilCancelled()
        Output.standard.line("goodbye")
        throw CancellationError()
      }
    }
    #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }?.contains("goodbye\n") == true)
  }

  @Test func `a program without a reader ends quietly`() async {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0, dup2(ends[1], STDOUT_FILENO) >= 0 else { exit(1) }
      close(ends[0])
      await Program.run(Diagnostics(program: "try")) {
        Output.standard.line("nobody reads this")
        Output.standard.line("nor this")
        await untilCancelled()
      }
    }
    #expect(result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) }?.contains("try") == false)
  }

  @Test func `closed standard descriptors are not given to the next file`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      // Dispatch opens descriptors of its own for its first timer, and must not get those that are closed here.
      await withCheckedContinuation { timer in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { timer.resume() }
      }
      close(STDIN_FILENO)
      close(STDOUT_FILENO)
      await Program.run(Diagnostics(program: "try")) {
        let descriptor = linux_open("/dev/zero", O_RDONLY, 0)
        Output.standard.line("to nowhere")
        guard descriptor > STDERR_FILENO else { throw Failure(.software, "got \(descriptor)") }
      }
    }
  }
}
