import Foundation
import Synchronization

/// A terminal on a host, with a person at it who types and reads.
final class Screen: Sendable {
  /// Where the person's files are.
  let folder: String

  private let host: Lab.Host
  private let peer: Program
  private let requests = Mutex(0)

  private init(_ lab: Lab, on host: Lab.Host) throws {
    self.host = host
    folder = FileManager.default.temporaryDirectory.appending(path: "screen-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    peer = try lab.start(LAN.peer("screen") + [folder], on: host, isTold: false)
  }

  /// Opens a terminal with a shell for as long as a body runs. What programs keep for the person goes to a folder of his own.
  static func open<Result>(
    _ lab: Lab, on host: Lab.Host, columns: Int = 80, rows: Int = 24, _ body: (Screen) async throws -> Result
  ) async throws -> Result {
    let screen = try Screen(lab, on: host)
    defer { try? FileManager.default.removeItem(atPath: screen.folder) }
    let programs = URL(filePath: LAN.program("twentyfour-join")).deletingLastPathComponent().path
    let shell = [
      "env", "-u", "NO_COLOR", "LC_ALL=C.UTF-8", "XDG_CONFIG_HOME=\(screen.folder)", "XDG_STATE_HOME=\(screen.folder)",
      "PS1=$ ", "PATH=\(programs):/usr/bin:/bin",
      "SWIFT_BACKTRACE=enable=no", "sh",
    ].map { "'\($0)'" }.joined(separator: " ")
    try await screen.tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", shell)
    let result = try await body(screen)
    try screen.peer.closeInput()
    return result
  }

  // MARK: - What the person does

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
    try await ask(Request(tmux: ["send-keys"] + keys))
  }

  func resize(columns: Int, rows: Int) async throws {
    try await tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Sends a signal to the program that runs in it.
  func signal(_ name: String) async throws {
    let shell = try await tmux("display-message", "-p", "#{pane_pid}").first ?? ""
    try await ask(Request(run: ["pkill", "-\(name)", "-P", shell]))
  }

  // MARK: - What the person sees

  /// What stands on it, without empty lines.
  func lines(withStyles: Bool = false) async throws -> [String] {
    try await ask(Request(tmux: ["capture-pane", "-p"] + (withStyles ? ["-e"] : [])))
  }

  /// Reads the QR code on it.
  func scan() async throws -> String {
    try await ask(Request(scan: true)).first ?? ""
  }

  /// Waits until all of these texts stand on it, and none of the others, and returns its lines then.
  @discardableResult
  func shows(_ texts: String..., without others: String..., within limit: Duration = Program.limit) async throws -> [String] {
    try await ask(Request(shows: texts, without: others, within: limit / .seconds(1)))
  }

  /// Runs a command that ends by itself, and returns the lines that it wrote.
  func output(of command: String) async throws -> [String] {
    let mark = "done-\(UUID().uuidString.prefix(8))"
    // Written in two parts, so that the command itself is not taken for its end.
    try await enter("clear; \(command); echo \(mark.dropLast())''\(mark.suffix(1))")
    let lines = try await shows(mark)
    return Array(lines.dropFirst(lines.first?.hasPrefix("$ clear") == true ? 1 : 0).prefix { $0 != mark })
  }

  // MARK: - The peer

  /// See `peers/screen.py`.
  private struct Request: Encodable {
    var id = 0
    var tmux: [String]?
    var run: [String]?
    var scan: Bool?
    var shows: [String]?
    var without: [String]?
    var within: Double?
  }

  @discardableResult
  private func tmux(_ arguments: String...) async throws -> [String] {
    try await ask(Request(tmux: arguments))
  }

  @discardableResult
  private func ask(_ request: Request) async throws -> [String] {
    var request = request
    request.id = requests.withLock { count in
      count += 1
      return count
    }
    try peer.send(String(decoding: JSONEncoder().encode(request), as: UTF8.self))
    let limit = Duration.seconds(request.within ?? 0) + .seconds(10)
    let reply = try await peer.event("reply", within: limit) { [id = request.id] in $0["id"]?.number == Double(id) }
    let lines = reply["lines"]?.array?.compactMap(\.string) ?? []
    guard reply["isDone"] == true else {
      let wish = request.shows.map { "\($0) did not come" } ?? "\(request.tmux ?? request.run ?? []) failed"
      throw LabError("\(host): \(wish); there stood\n" + lines.joined(separator: "\n"))
    }
    return lines
  }
}
