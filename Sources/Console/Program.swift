import Glibc

/// The frame of a program: from its start to its exit code.
package enum Program {
  /// Runs a program's body and ends the process.
  ///
  /// A request to end (see `Signals`) cancels the body and waits until it has said its goodbyes; the exit code is then 0. What
  /// the body throws is told in one line on standard error: a `Failure` with its exit code, a `UsageError` with 64, anything
  /// else with 70.
  package static func run(_ diagnostics: Diagnostics, _ body: @escaping @Sendable () async throws -> Void) async -> Never {
    openStandardDescriptors()
    Signals.prepare()
    do {
      switch try await Signals.cancelling(body) {
      case .finished: end(.done)
      case .terminated(let termination):
        diagnostics.detail("ended: \(termination)")
        end(.done)
      }
    } catch let failure as Failure {
      diagnostics.error(failure.message)
      end(failure.code)
    } catch let error as UsageError {
      Output.error.line(error.description)
      end(.usage)
    } catch {
      diagnostics.error("\(error)")
      end(.software)
    }
  }

  package static func end(_ code: ExitCode) -> Never {
    exit(code.rawValue)
  }

  /// Descriptors 0 to 2 that the parent process closed would be given to the next socket, and lines be written to it.
  private static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_RDONLY : O_WRONLY)
    }
  }
}

extension Command {
  /// Reads the process's own arguments; a help text, the version or a usage error ends the process.
  package func parseOrExit() -> Arguments {
    switch Program.orExit({ () throws(UsageError) in try parse(Array(CommandLine.arguments.dropFirst())) }) {
    case .arguments(let arguments): return arguments
    case .text(let text): Program.show(text)
    }
  }
}

extension CommandGroup {
  /// Reads the process's own arguments; a help text, the version or a usage error ends the process.
  package func parseOrExit() -> (Verb, Arguments) {
    switch Program.orExit({ () throws(UsageError) in try parse(Array(CommandLine.arguments.dropFirst())) }) {
    case .command(let verb, let arguments): return (verb, arguments)
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
