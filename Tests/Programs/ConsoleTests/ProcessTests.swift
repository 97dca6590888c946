import CBonjourishLinux
import Foundation
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import _BonjourishConsole

/// What a program does with its process. Each test is a process of its own.
@Suite(.timeLimit(.minutes(1))) struct ProcessTests {
  @Test func `a usage error is a line and exit code 64, and texts are exit code 0`() async {
    let wrong = await #expect(processExitsWith: .exitCode(64), observing: [\.standardErrorContent]) {
      _ = CommandTests.command.parseOrExit(["--other"])
    }
    let errors = String(decoding: wrong?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains("try: unknown option --other (see try --help)\n"))
    let version = await #expect(processExitsWith: .exitCode(0), observing: [\.standardOutputContent]) {
      _ = CommandTests.command.parseOrExit(["--version"])
    }
    let text = String(decoding: version?.standardOutputContent ?? [], as: UTF8.self)
    #expect(text.contains("try 1.2\n"))
    await #expect(processExitsWith: .exitCode(7)) {
      let arguments = CommandTests.command.parseOrExit(["a", "--name", "Ada"])
      exit(arguments[CommandTests.name] == "Ada" ? 7 : 1)
    }
  }

  @Test func `secrets are wiped from the argument list, wherever they stand`() async {
    await #expect(processExitsWith: .success) {
      let before = CommandLine.arguments
      guard before.count > 1 else { return }
      ArgumentList.wipe([])
      let list = { (try? Data(contentsOf: URL(filePath: "/proc/self/cmdline"))).map { Array($0) } ?? [] }
      #expect(list().split(separator: 0).map { String(decoding: $0, as: UTF8.self) } == before.filter { !$0.isEmpty })
      ArgumentList.wipe([before[before.count - 1]])
      let after = list().split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      #expect(after.count(where: { $0 == "*" }) >= 1 && after.first == before.first)
      #expect(!after.contains(before[before.count - 1]))
    }
  }

  @Test func `Ctrl-C is offered to the innermost body, and only while it runs`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let counts = Counts()
      let ending = try await ProgramSignals.cancelling {
        await Program.offeringInterrupts {
          counts.add(0)
          return true
        } while: {
          await Program.offeringInterrupts {
            counts.add(1)
            return true
          } while: {
            kill(getpid(), SIGINT)
            await counts.reached([0, 1])
          }
          kill(getpid(), SIGINT)
          await counts.reached([1, 1])
        }
        // Nobody takes it any more.
        kill(getpid(), SIGINT)
        await untilCancelled()
      }
      guard case .terminated(.interrupt) = ending else { exit(1) }
      exit(7)
    }
  }

  @Test func `one that is not taken ends the program`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let ending = try await ProgramSignals.cancelling {
        await Program.offeringInterrupts(
          to: { false },
          while: {
            kill(getpid(), SIGINT)
            await untilCancelled()
          })
      }
      guard case .terminated(.interrupt) = ending else { exit(1) }
      exit(7)
    }
  }

  @Test func `the reason of the end is a detail`() async {
    for (level, isTold) in [(Diagnostics.Level.detail, true), (.notice, false)] {
      let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
        [level = level.rawValue as Int] in
        await Program.run(Diagnostics(program: "try", level: Diagnostics.Level(rawValue: level) ?? .error)) {
          kill(getpid(), SIGTERM)
          await untilCancelled()
        }
      }
      let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(text.contains("try: ended: terminate\n") == isTold)
    }
  }

  @Test func `output that cannot be written is an error with exit code 74`() async {
    let result = await #expect(processExitsWith: .exitCode(74), observing: [\.standardErrorContent]) {
      let full = linux_open("/dev/full", O_WRONLY, 0)
      guard full >= 0, dup2(full, STDOUT_FILENO) >= 0 else { exit(1) }
      Output.standard.line("x")
      exit(2)
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains(": cannot write standard output: No space left on device\n"))
  }

  @Test func `the journal is known by the device and inode of standard error`() async {
    await #expect(processExitsWith: .success) {
      let errors = WrittenLines(to: STDERR_FILENO)
      var status = stat()
      fstat(STDERR_FILENO, &status)
      setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
      #expect(Journal.isConnected)
      let diagnostics = Diagnostics(program: "try", level: .detail)
      diagnostics.warning("one")
      diagnostics.detail("two")
      let lines = try await errors.next(2)
      #expect(lines == ["<4>try: one", "<7>try: two"])
    }
    await #expect(processExitsWith: .success) {
      setenv("JOURNAL_STREAM", "1:1", 1)
      #expect(!Journal.isConnected)
    }
  }

  @Test func `a message has its level, and is made only if it is passed on`() {
    let counts = Counts()
    for level in Diagnostics.Level.allCases {
      let diagnostics = Diagnostics(level: level) { level, text in
        #expect(text == "\(level)")
        counts.add(level.rawValue)
      }
      diagnostics.error("error")
      diagnostics.warning("warning")
      diagnostics.notice("notice")
      diagnostics.detail("detail")
      diagnostics.log(.error, "error")
    }
    #expect(counts.all == [0: 8, 1: 3, 2: 2, 3: 1])
    Diagnostics(level: .warning) { _, _ in }.notice(
      { () -> String in
        Issue.record("it was made"); return ""
      }())
  }

  /// How often something has happened, by number.
  private final class Counts: Sendable {
    private let counts = Locked<[Int: Int]>([:])
    var all: [Int: Int] { counts.withLock { $0 } }
    func add(_ number: Int) { counts.withLock { $0[number, default: 0] += 1 } }

    func reached(_ expected: [Int]) async {
      while expected.enumerated().contains(where: { all[$0, default: 0] < $1 }) { await Task.yield() }
      #expect(expected.enumerated().allSatisfy { all[$0, default: 0] == $1 })
    }
  }
}
