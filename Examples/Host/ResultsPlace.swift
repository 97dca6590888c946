import Console
import Foundation

/// Where results are kept.
enum ResultsPlace {
  static let file = Option.optional("results", "FILE", .text, "keep the results of matches in this file")
  static let record = Option.flag("record", "keep the results of matches, in the usual file unless --results names one")

  /// The file that the command line means.
  ///
  /// The usual one is for the person who runs the program, and has a place of its own there (XDG Base Directory Specification).
  static func path(_ arguments: Arguments) -> String {
    arguments[file] ?? usual
  }

  /// The file to record to; nil when nothing is to be recorded. Only when told, for the names of other people are not written to
  /// a disk unasked.
  static func recording(_ arguments: Arguments) throws(Failure) -> String? {
    if let path = arguments[file] { return path }
    guard arguments[record] else { return nil }
    do {
      try FileManager.default.createDirectory(
        atPath: (usual as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } catch {
      throw Failure(.inputOutput, "cannot make the folder for \(usual): \(error.localizedDescription); give --results FILE")
    }
    return usual
  }

  private static var usual: String {
    let environment = ProcessInfo.processInfo.environment
    // What is not absolute is to be ignored, says the specification.
    let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory() + "/.local/state"
    return state + "/bonjourish/results.sqlite"
  }
}
