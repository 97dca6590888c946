import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishSignals

/// Each test is a process of its own, because signals and their handlers belong to the process.
@Suite(.timeLimit(.minutes(1))) struct TerminationSignalTests {
  @Test(arguments: [SIGINT, SIGTERM])
  func `a signal cancels the body and waits for its end`(number: Int32) async {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.standardOutputContent]) { [number] in
      let outcome = try await withTerminationSignals {
        kill(getpid(), number)
        await untilCancelled()
        await Task.yield()
        write(STDOUT_FILENO, "goodbye\n", 8)
        throw CancellationError()
      }
      guard case .terminated(let signal) = outcome else { exit(1) }
      exit(signal.number == number ? 7 : 2)
    }
    #expect(result.map { String(decoding: $0.standardOutputContent, as: UTF8.self) }?.contains("goodbye\n") == true)
  }

  @Test func `a body that ends by itself gives its result or error`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      struct Oops: Error {}
      let outcome = try await withTerminationSignals { 3 }
      guard case .finished(3) = outcome else { exit(1) }
      do {
        _ = try await withTerminationSignals { throw Oops() }
        exit(2)
      } catch {
        exit(error is Oops ? 7 : 3)
      }
    }
  }

  @Test func `an outcome is displayed in words`() {
    #expect("\(TerminationOutcome<Void>.finished(()))" == "finished")
    #expect("\(TerminationOutcome<Int>.finished(3))" == "finished: 3")
    #expect("\(TerminationOutcome<Void>.terminated(.terminate))" == "terminated by SIGTERM")
    #expect("\(TerminationOutcome<Int>.terminated(.hangUp))" == "terminated by SIGHUP")
    #expect("\(TerminationOutcome<Int>.terminated(.interrupt))" == "terminated by SIGINT")
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `a second signal ends the process at once`(number: Int32) async {
    await #expect(processExitsWith: .signal(number)) { [number] in
      _ = try await withTerminationSignals {
        kill(getpid(), SIGTERM)
        await untilCancelled()
        kill(getpid(), number)
        while true { pause() }
      }
    }
  }

  @Test func `afterwards signals do what they did before`() async {
    await #expect(processExitsWith: .signal(SIGTERM)) {
      for _ in 1...2 {
        let outcome = try await withTerminationSignals {
          kill(getpid(), SIGTERM)
          await untilCancelled()
        }
        guard case .terminated = outcome else { exit(1) }
      }
      kill(getpid(), SIGTERM)
      while true { pause() }
    }
  }

  @Test func `only the signals that are named are taken over`() async {
    await #expect(processExitsWith: .signal(SIGINT)) {
      _ = try await withTerminationSignals([.hangUp]) {
        kill(getpid(), SIGINT)
        while true { pause() }
      }
    }
  }

  @Test func `a signal that is ignored stays ignored`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      linux_ignore_signal(SIGHUP)
      let outcome = try await withTerminationSignals([.hangUp, .terminate]) {
        kill(getpid(), SIGHUP)
        kill(getpid(), SIGTERM)
        await untilCancelled()
      }
      guard case .terminated(.terminate) = outcome else { exit(1) }
      exit(7)
    }
  }

  @Test func `a signal reaches an inner and an outer scope`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let outer = try await withTerminationSignals {
        let inner = try await withTerminationSignals {
          kill(getpid(), SIGTERM)
          await untilCancelled()
        }
        guard case .terminated = inner else { exit(1) }
        await untilCancelled()
      }
      guard case .terminated = outer else { exit(2) }
      exit(7)
    }
  }

  @Test func `a caller that is cancelled gets what the body returns then`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let task = Task {
        try await withTerminationSignals {
          await untilCancelled()
          return 7
        }
      }
      task.cancel()
      guard case .finished(let code) = try await task.value else { exit(1) }
      exit(Int32(code))
    }
  }
}

/// Signals that a program handles itself, each in a process of its own.
@Suite(.timeLimit(.minutes(1))) struct SignalWatchTests {
  @Test func `all watches are told of a signal, and which one was the first`() async {
    await #expect(processExitsWith: .success) {
      let (signals, continuation) = AsyncStream.makeStream(of: String.self)
      let both = SignalWatch(for: [SIGUSR1, SIGUSR2]) { continuation.yield("both \($0 == SIGUSR2) \($1)") }
      let other = SignalWatch(for: [SIGUSR1]) { continuation.yield("other \($0 == SIGUSR2) \($1)") }
      #expect(both.first == nil)
      var iterator = signals.makeAsyncIterator()
      kill(getpid(), SIGUSR2)
      #expect(await iterator.next() == "both true true")
      kill(getpid(), SIGUSR1)
      let told = await [iterator.next(), iterator.next()]
      #expect(Set(told) == ["both false false", "other false true"])
      #expect(both.first == SIGUSR2 && other.first == SIGUSR1)
      // The other one goes on.
      both.stop()
      both.stop()
      kill(getpid(), SIGUSR1)
      #expect(await iterator.next() == "other false false")
      other.stop()
    }
  }

  @Test func `a watched signal can do what it does by default, and is watched again`() async {
    await #expect(processExitsWith: .success) {
      func isDefault() -> Bool {
        var action = sigaction()
        sigaction(SIGWINCH, nil, &action)
        return linux_is_default_action(&action) != 0
      }
      let (signals, continuation) = AsyncStream.makeStream(of: Bool.self)
      let watch = SignalWatch(for: [SIGWINCH]) { number, isFirst in
        // By default, it is dropped.
        SignalWatch.performDefault(of: number)
        continuation.yield(isFirst)
      }
      var iterator = signals.makeAsyncIterator()
      for isFirst in [true, false] {
        #expect(!isDefault() && !SignalWatch.isIgnored(SIGWINCH))
        kill(getpid(), SIGWINCH)
        #expect(await iterator.next() == isFirst)
      }
      watch.stop()
      #expect(isDefault())
      SignalWatch.performDefault(of: SIGWINCH)
      #expect(isDefault())
    }
    await #expect(processExitsWith: .signal(SIGTERM)) {
      _ = SignalWatch(for: [SIGTERM]) { number, _ in SignalWatch.performDefault(of: number) }
      kill(getpid(), SIGTERM)
      while true { pause() }
    }
  }
}
