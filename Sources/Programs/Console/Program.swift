import CBonjourishLinux
import _BonjourishEventLoop

/// Runs a program from its start to its exit code.
public enum Program {
  /// Runs a program's body and ends the process.
  ///
  /// A request to end (SIGINT, SIGTERM, SIGHUP, or the reader of standard output is gone) cancels the body and waits until it
  /// returns; the exit code is then 0. An error of the body is written to standard error in one line, unless its message is
  /// empty; the exit code is the code of a ``Failure``, 64 for a ``UsageError``, and 70 for any other error.
  ///
  /// - Parameters:
  ///   - diagnostics: Writes the error.
  ///   - body: What the program does.
  public static func run(_ diagnostics: Diagnostics, _ body: @escaping @Sendable () async throws -> Void) async -> Never {
    openStandardDescriptors()
    ProgramSignals.prepare()
    do {
      switch try await ProgramSignals.cancelling(body) {
      case .finished: end(.done)
      case .terminated(let termination):
        diagnostics.detail("ended: \(termination)")
        end(.done)
      }
    } catch let failure as Failure {
      if !failure.message.isEmpty { diagnostics.error(failure.message) }
      end(failure.code)
    } catch let error as UsageError {
      Output.error.line(error.description)
      end(.usage)
    } catch {
      diagnostics.error("\(error)")
      end(.software)
    }
  }

  /// Offers each Ctrl-C (SIGINT) to a closure before it ends the process, for as long as a body runs.
  ///
  /// - Parameters:
  ///   - handler: Returns whether it has taken the interrupt: then nothing else happens. It is called on another thread, also while the
  ///     body hangs, and must not block.
  ///   - body: What the program does meanwhile.
  /// - Returns: What the body returns.
  /// - Throws: What the body throws.
  public static func offeringInterrupts<Result: Sendable, Failure: Error>(
    to handler: @escaping @Sendable () -> Bool, while body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let former = ProgramSignals.interruptHandler.withLock { current in
      defer { current = handler }
      return current
    }
    defer { ProgramSignals.interruptHandler.withLock { $0 = former } }
    return try await body()
  }

  static func end(_ code: ExitCode) -> Never {
    exit(code.rawValue)
  }

  /// Opens descriptors 0 to 2 if the parent process closed them. Otherwise a socket could get one of these numbers, and the
  /// program's output would go into that socket.
  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO {
      guard (try? systemCall("fcntl") { linux_fcntl(descriptor, F_GETFD, 0) }) == nil else { continue }
      _ = try? systemCall("open") { linux_open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0) }
    }
  }
}

extension Command {
  /// Parses the arguments of the process, and wipes those that are secret from its argument list. For `--help`, `--version` and a usage error, writes the text and exits.
  ///
  /// - Parameter words: The number of first arguments that have chosen this command, and are none of its own.
  public func parseOrExit(after words: Int = 0) -> Arguments {
    parseOrExit(Array(CommandLine.arguments.dropFirst(1 + words)))
  }

  /// Parses arguments that were made of those of the process, as ``parseOrExit(after:)`` does.
  ///
  /// - Parameter arguments: The arguments, without the program's name.
  public func parseOrExit(_ arguments: [String]) -> Arguments {
    switch Program.orExit({ () throws(UsageError) in try parse(arguments) }) {
    case .arguments(let arguments):
      ArgumentList.wipe(arguments.secrets)
      return arguments
    case .text(let text): Program.show(text)
    }
  }
}

extension CommandGroup {
  /// Parses the arguments of the process, and wipes those that are secret from its argument list. For `--help`, `--version` and a usage error, writes the text and exits.
  ///
  /// - Parameter words: What stands in front of the arguments if they have no command.
  public func parseOrExit(without words: [String] = []) -> (Verb, Arguments) {
    let given = Array(CommandLine.arguments.dropFirst())
    switch Program.orExit({ () throws(UsageError) in try parse(given, without: words) }) {
    case .command(let verb, let arguments):
      ArgumentList.wipe(arguments.secrets)
      return (verb, arguments)
    case .text(let text): Program.show(text)
    }
  }
}

extension Program {
  fileprivate static func orExit<Request>(_ parse: () throws(UsageError) -> Request) -> Request {
    do {
      return try parse()
    } catch {
      Output.error.line(error.description)
      end(.usage)
    }
  }

  fileprivate static func show(_ text: String) -> Never {
    Output.standard.line(text)
    end(.done)
  }
}
