import Bonjourish
import CBonjourishLinux
import Foundation
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
  private static let shell = ServiceInstance("Shell", type: "_ssh._tcp")

  private struct Run {
    let terminal: PseudoTerminal
    let backend: FakeBackend
    /// Whether its body has returned.
    let task: Task<Bool, any Error>

    /// Begins to explore services of a type, of which there is one.
    init(_ instance: ServiceInstance = ada) async throws {
      for (name, value) in [("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8"), ("DISPLAY", ""), ("WAYLAND_DISPLAY", "")] {
        setenv(name, value, 1)
      }
      terminal = .standard()
      ProgramSignals.prepare()
      backend = try FakeBackend()
      let bonjour = Bonjour(backend: backend, time: ManualTime().clock)
      let arguments = try Commands.browse.arguments(of: ["\(instance.type)"])
      let settings = ExplorerSettings(
        arguments, sought: try SoughtType.all(in: arguments), resolves: false, isSelective: false, region: nil)
      let screen = ExplorerScreen(settings, try Examination(.builtin, .all))
      task = Task {
        try await screen.run(on: bonjour, .all) {
          try await bonjour.withBrowser(for: instance.type) { browser in
            for try await change in browser.changes {
              if case .interrupted = change { return }
              screen.show(change, of: instance.type)
            }
          }
        }
      }
      await backend.commands { $0.contains { if case .browse = $0 { true } else { false } } }
      await backend.sayToBrowsers(.appeared(instance, eth0), .settled)
      try await shows(instance.name.text)
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

  @Test func `what is typed is published until it is withdrawn, and what happens to it is told`() async {
    await #expect(processExitsWith: .success) {
      let run = try await Run()
      run.terminal.type("nLabel ipp 631 path=/\r")
      func published(_ commands: [FakeBackend.Command]) -> Registration? {
        commands.compactMap { if case .publish(let registration) = $0 { registration } else { nil } }.first
      }
      await run.backend.commands { $0.contains { if case .publish = $0 { true } else { false } } }
      let registration = try #require(published(run.backend.commands))
      #expect(registration.name == "Label" && registration.service?.type == "_ipp._tcp")
      #expect(registration.service?.port == 631 && registration.service?.txt == ["path": "/"])
      await run.backend.sayToPublishers(.established("Label"))
      // Where nothing stood before, a word is written as a whole.
      try await run.shows("_ipp._tcp")
      let outage = "the network is away now, so that nobody finds the LABEL"
      await run.backend.sayToPublishers(.interrupted(DiscoveryError(.unavailable, outage)))
      try await run.shows("LABEL")
      run.terminal.type("d1")
      await run.backend.commands { $0.contains(.endPublish(registration)) }
      await run.backend.sayToBrowsers(.interrupted(DiscoveryError(.unavailable, "gone")))
      #expect(try await run.task.value)
    }
  }

  @Test func `a program has the terminal until it ends, and then the explorer has it again`() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      let path = folder.path + "/ssh"
      try Data("#!/bin/sh\necho \"reached $*\"\n".utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      setenv("PATH", folder.path, 1)
      let (shell, eth0) = (ExplorerScreenTests.shell, ExplorerScreenTests.eth0)
      let run = try await Run(shell)
      // The details, in which the text is seen when all is known.
      run.terminal.type("\r")
      let note = String(repeating: "x", count: 50) + "RESOLVED"
      let (server, text) = (RecordQuestion(.instance(shell), .srv), RecordQuestion(.instance(shell), .txt))
      await run.backend.commands { $0.contains(server) && $0.contains(text) }
      await run.backend.say(
        .added(ResourceRecord(.server(host: "h1.local", port: 2222, priority: 0, weight: 0), on: eth0)), .settled, to: server)
      await run.backend.say(.added(ResourceRecord(.text(["note": "\(note)"]), on: eth0)), .settled, to: text)
      await run.backend.commands { commands in
        [RecordType.a, .aaaa].allSatisfy { commands.contains(RecordQuestion(.domain("h1.local"), $0)) }
      }
      for (address, type) in [("10.77.0.1", RecordType.a), ("2001:db8::1", .aaaa)] {
        let record = ResourceRecord(.address(try #require(IPAddress(address))), on: eth0)
        await run.backend.say(.added(record), .settled, to: RecordQuestion(.domain("h1.local"), type))
      }
      try await run.shows("RESOLVED")
      run.terminal.type("o")
      let terminal = run.terminal
      let shown = try await blocking { terminal.shown(with: TerminalGuard.entering) }
      #expect(shown.contains("reached -p 2222 -- 10.77.0.1"), "\(shown.debugDescription)")
      run.terminal.type("q")
      #expect(try await !run.task.value)
    }
  }
}

extension [FakeBackend.Command] {
  fileprivate func contains(_ question: RecordQuestion) -> Bool { contains(.lookUp(question)) }
}
