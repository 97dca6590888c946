import Rooms
import Screens
import _BonjourishConsole

/// The options about the page for phones.
enum WebOptions {
  static let web = Option.flag("web", "let phones and browsers in: serve a page, and show its address as a QR code")
  static let port = Option.optional(
    "web-port", "P", .integer(in: 0...65_535),
    "serve the page for phones on this port; 0 means any free port (default: 8024, or any free port)")

  static let all: [any CommandOption] = [web, port]

  // What the manual says about them.

  static let webNote = """
    See PHONES. Between a phone and this program nothing is encrypted.
    """
  static let portNote = "This implies `--web`."

  /// The entrance that the command line asks for; nil for none.
  static func entrance(_ arguments: Arguments) -> WebEntrance? {
    guard arguments[web] || arguments[port] != nil else { return nil }
    return WebEntrance(port: arguments[port].map { UInt16($0) })
  }
}
