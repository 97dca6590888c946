import Rooms
import Screens
import _BonjourishConsole

/// The options about the page for phones.
enum WebOptions {
  static let web = Option.flag("web", Phrases.Options.web)
  static let port = Option.optional(
    "web-port", "P", .integer(in: 0...65_535),
    Phrases.Options.webPort)

  static let all: [any CommandOption] = [web, port]

  /// The entrance that the command line asks for; nil for none.
  static func entrance(_ arguments: Arguments) -> WebEntrance? {
    guard arguments[web] || arguments[port] != nil else { return nil }
    return WebEntrance(port: arguments[port].map { UInt16($0) })
  }
}
