import Foundation
import TestSupport
import Testing

/// What the tests on a private LAN stand on: the script that makes one, and the programs that were built.
enum LAN {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()

  static let script = folder.deletingLastPathComponent().appending(path: "lan")

  /// The path of a program of this package, built together with these tests.
  static func program(_ name: String) -> String {
    // The tests are run by an executable beside the programs.
    let runner = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    return URL(filePath: runner).deletingLastPathComponent().appending(path: name).path
  }

  /// The program of a directory's server: Debian's, or the newest, which `make check` names by `NATS_SERVER`.
  static let natsServer = ProcessInfo.processInfo.environment["NATS_SERVER"] ?? "/usr/sbin/nats-server"

  /// The path of a file of the examples.
  static func example(_ path: String) -> String {
    folder.deletingLastPathComponent().deletingLastPathComponent().appending(path: "Examples/\(path)").path
  }

  /// The command of a peer that speaks mDNS with python3-zeroconf; Debian's Python has it, others need not.
  static func peer(_ name: String) -> [String] {
    ["/usr/bin/python3", "-B", folder.appending(path: "peers/\(name).py").path]
  }

  /// Why no LAN can be made here; nil if it can.
  static let obstacle: String? = {
    do {
      let check = try ChildProcess.run(script.path, ["-d", "--check"])
      guard check.code != 0 else { return nil }
      return String(decoding: check.errors, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    } catch {
      return "\(script.path) cannot be run: \(error)"
    }
  }()

  static let isRequired = ProcessInfo.processInfo.environment["REQUIRE_LAN"] == "1"
}

// As many tests run beside each other as SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH says (eight in the Makefile), each on a private
// LAN of its own: most of the time each waits for daemons and deadlines. What disturbs others comes afterwards, in runs of its own.
//
// Where no LAN can be made they are skipped, unless the environment says REQUIRE_LAN=1: then they fail.

/// Finding each other.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN)
enum OnALAN {}

/// Being found, and what becomes of it; guests of all kinds.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN)
enum PublishingOnALAN {}

/// Talking with each other, and coming back; reaching nobody.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN)
enum TalkingOnALAN {}

/// What strangers try, while others go on.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN)
enum StrangersOnALAN {}

/// Playing together.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN)
enum PlayingOnALAN {}

/// Beyond one network: hosts that no multicast connects, and a directory on one of them. These tests mostly wait for leases, and have
/// a run of their own.
@Suite(.timeLimit(.minutes(3)), .tellsOfPrograms, .onALAN)
enum DirectoryOnALAN {}

/// What hangs. These tests have deadlines of a few seconds, so they have a run of their own.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN)
enum HangingOnALAN {}

/// Phones at the party: browsers. These tests mostly wait for people, and have a run of their own: a browser takes a processor
/// while it starts.
@Suite(.timeLimit(.minutes(2)), .tellsOfPrograms, .onALAN, .withABrowser)
enum PhonesOnALAN {}

extension Trait where Self == ConditionTrait {
  fileprivate static var onALAN: Self {
    .enabled(if: LAN.obstacle == nil || LAN.isRequired, "\(LAN.obstacle ?? "")")
  }

  fileprivate static var withABrowser: Self {
    .enabled(if: Browser.obstacle == nil || LAN.isRequired, "\(Browser.obstacle ?? "")")
  }
}
