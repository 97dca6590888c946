import Bonjourish
import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDiscovery

@testable import _BonjourishConsole
@testable import _BonjourishExplorer
@testable import _BonjourishTerminal
@testable import bonjourish_cli

/// The explorer on a terminal and on a network of the test's. Each test is a process of its own, whose standard input and output are the
/// terminal.
@Suite(.timeLimit(.minutes(1))) struct ExplorerScreenTests {
  private static let (ada, eth0) = (ServiceInstance("Ada", type: "_http._tcp"), CommandRunTests.eth0)

  private struct Run {
    let terminal: PseudoTerminal
    let backend: FakeBackend
    /// Whether its body has returned.
    let task: Task<Bool, any Error>

    /// Begins to explore web servers, of which there is one.
    init() async throws {
      for (name, value) in [("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8"), ("DISPLAY", ""), ("WAYLAND_DISPLAY", "")] {
        setenv(name, value, 1)
      }
      terminal = .standard()
      ProgramSignals.prepare()
      backend = try FakeBackend()
      let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
      let arguments = try Commands.browse.arguments(of: ["http"])
      let settings = ExplorerSettings(
        arguments, sought: try SoughtType.all(in: arguments), resolves: false, isSelective: false, region: nil)
      let screen = ExplorerScreen(settings, try Examination(.builtin, .all))
      task = Task {
        try await screen.run(on: bonjour, .all) {
          try await bonjour.withBrowser(for: "_http._tcp") { browser in
            for try await change in browser.changes {
              if case .interrupted = change { return }
              screen.show(change, of: "_http._tcp")
            }
          }
        }
      }
      await backend.commands { $0.contains { if case .browse = $0 { true } else { false } } }
      await backend.sayToBrowsers(.appeared(ada, eth0), .settled)
      try await shows("Ada")
    }

    /// Waits until a text is written to the terminal. Of a picture, what has changed is written.
    func shows(_ text: String) async throws {
      let terminal = terminal
      let shown = try await blocking { terminal.shown(with: text) }
      #expect(shown.contains(text), "\(text) in \(shown.debugDescription)")
    }
  }

  @Test func `texts are copied to the terminal, the mouse is left to it, and no browser is started without a display`() async {
    await #expect(processExitsWith: .success) {
      let run = try await Run()
      run.terminal.type("yn")
      try await run.shows("\u{1B}]52;c;QWRh\u{1B}\\")
      run.terminal.type("m")
      try await run.shows(TerminalGuard.ignoringMouse)
      run.terminal.type("m")
      try await run.shows(TerminalGuard.reportingMouse)
      run.terminal.type("o")
      try await run.shows("address")
      // All is painted anew.
      run.terminal.type("\u{C}")
      try await run.shows("\u{1B}[2J")
      run.terminal.type("q")
      #expect(try await !run.task.value)
    }
  }

  @Test func `what a service does not answer is shown, and the end of the search ends the explorer`() async {
    await #expect(processExitsWith: .success) {
      let run = try await Run()
      await run.backend.commands { $0.contains(.lookUp(RecordQuestion(.instance(ExplorerScreenTests.ada), .srv))) }
      await run.backend.say(
        .failed(DiscoveryError(.unavailable, "no")), to: RecordQuestion(.instance(ExplorerScreenTests.ada), .srv))
      try await run.shows("answer")
      await run.backend.sayToBrowsers(.interrupted(DiscoveryError(.unavailable, "gone")))
      #expect(try await run.task.value)
    }
  }
}
