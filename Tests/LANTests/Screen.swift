import Foundation

/// A terminal on a host, with a person at it who types and reads: a tmux that nobody else looks at.
struct Screen: Sendable {
  private let lab: Lab
  private let host: Lab.Host
  private let folder: String
  private let server: Program

  /// Opens a terminal with a shell. What programs keep for the person goes to a folder of his own.
  init(_ lab: Lab, on host: Lab.Host, columns: Int = 80, rows: Int = 24) async throws {
    self.lab = lab
    self.host = host
    folder = FileManager.default.temporaryDirectory.appending(path: "screen-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let programs = URL(filePath: LAN.program("twentyfour-join")).deletingLastPathComponent().path
    let shell = [
      "env", "-u", "NO_COLOR", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=\(folder)", "PS1=$ ", "PATH=\(programs):/usr/bin:/bin",
      "SWIFT_BACKTRACE=enable=no", "sh",
    ].map { "'\($0)'" }.joined(separator: " ")
    // Not as a daemon: that would keep descriptors open by which Foundation notices that a process has ended.
    server = try lab.start(["tmux", "-S", "\(folder)/tmux", "-f", "/dev/null", "-D"], on: host, isTold: false)
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      do {
        try await tmux("-N", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", shell)
        return
      } catch where ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Runs a body with a terminal, and takes its folder away.
  static func open<Result>(
    _ lab: Lab, on host: Lab.Host, columns: Int = 80, rows: Int = 24, _ body: (Screen) async throws -> Result
  ) async throws -> Result {
    let screen = try await Screen(lab, on: host, columns: columns, rows: rows)
    defer { try? FileManager.default.removeItem(atPath: screen.folder) }
    let result = try await body(screen)
    await screen.server.kill()
    return result
  }

  /// Writes a text, and ends the line.
  func enter(_ text: String) async throws {
    try await type(text)
    try await press("Enter")
  }

  func type(_ text: String) async throws {
    try await tmux("send-keys", "-l", text)
  }

  /// Presses keys, by the names that tmux has for them.
  func press(_ keys: String...) async throws {
    try await tmux(["send-keys"] + keys)
  }

  func resize(columns: Int, rows: Int) async throws {
    try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// What stands on it, without empty lines.
  func lines(withStyles: Bool = false) async throws -> [String] {
    try await tmux(["capture-pane", "-p"] + (withStyles ? ["-e"] : [])).filter { !$0.isEmpty }
  }

  /// Waits until all of these texts stand on it, and returns its lines then.
  @discardableResult
  func shows(_ texts: String..., within limit: Duration = .seconds(15)) async throws -> [String] {
    let deadline = ContinuousClock.now + limit
    while true {
      let lines = try await lines()
      if texts.allSatisfy({ text in lines.contains { $0.contains(text) } }) { return lines }
      guard ContinuousClock.now < deadline else {
        throw LabError("\(host): \(texts) did not come within \(limit); there stood\n" + lines.joined(separator: "\n"))
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Runs a command that ends by itself, and returns the lines that it wrote.
  func output(of command: String) async throws -> [String] {
    let mark = "done-\(UUID().uuidString.prefix(8))"
    // Written in two parts, so that the command itself is not taken for its end.
    try await enter("clear; \(command); echo \(mark.dropLast())''\(mark.suffix(1))")
    let lines = try await shows(mark)
    return Array(lines.dropFirst(lines.first?.hasPrefix("$ clear") == true ? 1 : 0).prefix { $0 != mark })
  }

  /// Sends a signal to the program that runs in it.
  func signal(_ name: String) async throws {
    let shell = try await tmux("display-message", "-p", "#{pane_pid}").first ?? ""
    try await run("pkill", "-\(name)", "-P", shell)
  }

  // MARK: - tmux

  @discardableResult
  private func tmux(_ arguments: String...) async throws -> [String] { try await tmux(arguments) }

  @discardableResult
  private func tmux(_ arguments: [String]) async throws -> [String] {
    try await run(["tmux", "-S", "\(folder)/tmux"] + arguments)
  }

  @discardableResult
  private func run(_ command: String...) async throws -> [String] { try await run(command) }

  private func run(_ command: [String]) async throws -> [String] {
    let program = try lab.start(command, on: host, isTold: false)
    guard try await program.exitCode() == 0 else {
      throw LabError("\(program.title): \(program.errorLines.joined(separator: "\n"))")
    }
    return program.outputLines
  }
}
