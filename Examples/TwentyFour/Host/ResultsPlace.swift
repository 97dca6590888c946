import Foundation
import Screens
import _BonjourishConsole

/// The place of the results file.
enum ResultsPlace {
  static let file = Option.optional("results", "FILE", .file, Phrases.Options.results)
  /// The same option of a mode that reads.
  static let readFile = Option.optional(
    "results", "FILE", .file, Phrases.Options.readResults)
  static let record = Option.flag("record", Phrases.Options.record)

  /// The file to read: that on the command line, or the user's default file (XDG Base Directory Specification).
  static func path(_ arguments: Arguments) -> String {
    arguments[readFile] ?? usual
  }

  /// The file to record to; nil to record nothing. Nothing is the default, so that other people's names are stored only on
  /// request.
  static func recording(_ arguments: Arguments) throws(Failure) -> String? {
    if let path = arguments[file] { return path }
    guard arguments[record] else { return nil }
    do {
      try StateFolder.make()
    } catch {
      throw Failure(.inputOutput, Phrases.Results.noFolder(for: usual, error.localizedDescription))
    }
    return usual
  }

  private static var usual: String { StateFolder.path + "/results.sqlite" }
}
