import CBonjourishLinux
import Foundation
import Synchronization
import TestSupport
import Testing

/// Who speaks mDNS for a program of this package.
enum Backend: String, CaseIterable, Sendable {
  case avahi, builtin
}

/// A private LAN of hosts, alive as long as the body of `withLab` runs.
final class Lab: Sendable {
  /// A host of the LAN.
  struct Host: Hashable, Sendable, CustomStringConvertible {
    let number: Int

    static let h1 = Host(number: 1)
    static let h2 = Host(number: 2)
    static let h3 = Host(number: 3)
    static let h4 = Host(number: 4)

    var description: String { "h\(number)" }
    var address: String { "10.77.0.\(number)" }
    /// Its address on the link, without the scope.
    var linkLocalAddress: String { "fe80::\(String(number, radix: 16))" }
  }

  /// Who speaks mDNS for the programs of this package; they choose for themselves when it is nil.
  let backend: Backend?

  /// The lab that the running test is in.
  @TaskLocal static var current: Lab?

  /// What the hosts keep, each in a folder of its own, and what a test has for all of them. A program on the LAN keeps no file elsewhere: the
  /// namespace has a number for the running user only, so that even root's `/tmp` is a stranger's there.
  let folder = FileManager.default.temporaryDirectory.appending(path: "lab-\(UUID().uuidString)").path
  private let control: Program
  private let identifier: String
  private let programs = Mutex<[Program]>([])

  /// Makes a LAN; it goes with the script, and the script with the end of its standard input.
  fileprivate init(
    hosts: Int, daemons: Bool, isRouted: Bool, isSplit: Bool, backend: Backend?, running program: String?
  ) async throws {
    self.backend = backend
    control = try Program(
      title: "lan",
      lan: ["-n", "\(hosts)"] + (daemons ? ["-d"] : []) + (isRouted ? ["-r"] : []) + (isSplit ? ["-s"] : [])
        + (program.map { ["-D", $0] } ?? [])
        + ["--", "sh", "-c", "echo $LAN_PID; exec cat"])
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      identifier = try await control.line(within: .seconds(30)) { _ in true }
    } catch {
      await control.kill()
      throw LabError("no LAN: " + control.errorLines.joined(separator: "\n"))
    }
  }

  /// Ends everything that runs on the LAN.
  fileprivate func end() async {
    try? control.closeInput()
    if (try? await control.exitCode(within: .seconds(5))) == nil { await control.kill() }
    for program in programs.withLock({ $0 }) where (try? await program.exitCode(within: .seconds(5))) == nil {
      await program.kill()
    }
    try? FileManager.default.removeItem(atPath: folder)
    checkSchema()
  }

  /// Compares all that `bonjourish --json` has written with the schema.
  private func checkSchema() {
    do {
      let schema = try JSONSchema.ofBonjourish()
      for program in programs.withLock({ $0 }) {
        guard let verb = program.title.split(separator: "/bonjourish ").dropFirst().first?.split(separator: " ").first,
          program.title.contains(" --json")
        else { continue }
        for line in program.outputLines {
          #expect(schema.faults(in: line, as: String(verb)) == [], "\(program.title): \(line)")
        }
      }
    } catch {
      Issue.record(error)
    }
  }

  var transcript: String {
    ([control] + programs.withLock { $0 }).map(\.transcript).joined(separator: "\n")
  }
}

// MARK: - What runs on it

extension Lab {
  /// Starts a program on a host; it ends with the lab at the latest. What it writes is told with failures unless said otherwise.
  func start(_ command: [String], on host: Host, isTold: Bool = true) throws -> Program {
    let program = try Program(
      title: "\(host)$ \(command.joined(separator: " "))", lan: ["--join", identifier, "--", "on", "\(host)"] + command)
    if isTold { programs.withLock { $0.append(program) } }
    return program
  }

  func start(_ command: String..., on host: Host) throws -> Program {
    try start(command, on: host)
  }

  /// How a container is connected: to the LAN, behind a bridge that no multicast passes, or to its host's bus only.
  enum Connection: String { case macvlan, bridge, bus }

  /// Starts a program in a container of a host.
  func start(_ command: [String], inContainer connection: Connection, of host: Host) throws -> Program {
    let program = try Program(
      title: "\(host), container (\(connection))$ \(command.joined(separator: " "))",
      lan: ["--join", identifier, "--", "contain", "\(host)", connection.rawValue] + command)
    programs.withLock { $0.append(program) }
    return program
  }

  /// Runs one of the LAN's own commands, `daemon`, `bus`, `link` or `loss`, to its end; or any other at the switch.
  func control(_ command: String...) async throws {
    let program = try Program(title: command.joined(separator: " "), lan: ["--join", identifier, "--"] + command)
    programs.withLock { $0.append(program) }
    let code = try await program.exitCode(within: .seconds(20))
    guard code == 0 else { throw LabError("\(program.title): exit code \(code)") }
  }

  enum Change: String { case start, stop, kill, restart, pause, resume }

  /// Starts or ends a host's avahi-daemon; it answers, or is gone, when this returns. A paused one hangs until it is resumed.
  func daemon(_ change: Change, on host: Host) async throws {
    try await control("daemon", "\(host)", change.rawValue)
  }

  /// Starts or ends a host's system bus, and with it what cannot live without.
  func bus(_ change: Change, on host: Host) async throws {
    try await control("bus", "\(host)", change.rawValue)
  }

  /// Plugs a host's cable in or pulls it.
  func link(isUp: Bool, of host: Host) async throws {
    try await control("link", "\(host)", isUp ? "up" : "down")
  }

  enum InterfaceChange: String { case remove, add }

  /// Takes a host's interface away, or makes it anew.
  func link(_ change: InterfaceChange, of host: Host) async throws {
    try await control("link", "\(host)", change.rawValue)
  }

  /// Lets nothing pass between two hosts of a routed LAN, or lets it pass again.
  func cut(_ host: Host, from other: Host, isCut: Bool = true) async throws {
    try await control(isCut ? "cut" : "mend", "\(host)", "\(other)")
  }

  /// Loses a share of the packets that arrive at a host.
  func loss(percent: Int, at host: Host) async throws {
    try await control("loss", "\(host)", "\(percent)")
  }
}

/// Makes a LAN for the body and takes it away with all that runs on it, however the body ends.
///
/// - Parameters:
///   - isRouted: Whether each host is on a network of its own, between which no multicast passes.
///   - isSplit: Whether h1 and h2 are on two networks, and the other hosts on both.
///   - program: The daemons of the hosts, as `lan -D` takes them; nil for what `LAN_DAEMON` names.
func withLab(
  hosts: Int = 3, daemons: Bool = true, isRouted: Bool = false, isSplit: Bool = false, backend: Backend? = nil,
  running program: String? = nil, _ body: (Lab) async throws -> Void
) async throws {
  let lab = try await Lab(
    hosts: hosts, daemons: daemons, isRouted: isRouted, isSplit: isSplit, backend: backend, running: program)
  let result: Result<Void, any Error> = await Lab.$current.withValue(lab) {
    do {
      try await body(lab)
      return .success(())
    } catch let error as ExpectationFailedError {
      return .failure(error)
    } catch {
      // Recorded here, where the programs' transcripts can be told with it.
      Issue.record(error)
      return .success(())
    }
  }
  await lab.end()
  try result.get()
}

/// Runs a body for several cases at once, each with a lab of its own, because they mostly wait.
func withEach<Case: Sendable>(of cases: [Case], _ body: @escaping @Sendable (Case) async throws -> Void) async throws {
  try await withThrowingTaskGroup { group in
    for one in cases { group.addTask { try await body(one) } }
    for try await _ in group {}
  }
}

extension Trait where Self == IssueHandlingTrait {
  /// Tells with every failure what the programs of the lab have written.
  static var tellsOfPrograms: Self {
    .compactMapIssues { issue in
      guard let transcript = Lab.current.map({ Comment(rawValue: $0.transcript) }) else { return issue }
      var issue = issue
      // A suite's trait is asked once for each suite around the test.
      if !issue.comments.contains(transcript) { issue.comments.append(transcript) }
      return issue
    }
  }
}
