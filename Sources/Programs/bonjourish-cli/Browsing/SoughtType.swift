import Bonjourish
import _BonjourishConsole

/// A type that `browse` looks for, and the subtype if only its services are sought.
struct SoughtType: Hashable {
  let type: ServiceType
  let subtype: ServiceSubtype?

  init(_ type: ServiceType) {
    (self.type, subtype) = (type, nil)
  }

  /// Parses a type, `http` for `_http._tcp`, or `SUBTYPE._sub.TYPE`.
  init(parsing text: String) throws(DiscoveryError) {
    var labels = text.split(separator: ".", omittingEmptySubsequences: false)
    if labels.last == "" { labels.removeLast() }
    if labels.count > 3, labels[labels.count - 3].lowercased() == "_sub" {
      type = try ServiceType(labels.suffix(2).joined(separator: "."))
      subtype = try ServiceSubtype(labels.dropLast(3).joined(separator: "."))
    } else {
      type = try ServiceType(shorthand: text)
      subtype = nil
    }
  }

  /// The type as it is asked for: `_printer._sub._http._tcp`.
  var text: String { subtype.map { "\($0)._sub.\(type)" } ?? "\(type)" }

  /// The types of a command line; nil for `--all`.
  static func all(in arguments: Arguments) throws -> [SoughtType]? {
    let texts = arguments[Commands.sought]
    guard !arguments[Commands.everything] else {
      guard texts.isEmpty else { throw Commands.browse.usageError("--all and TYPE exclude each other; give one of them") }
      return nil
    }
    guard !texts.isEmpty else {
      throw Commands.browse.usageError("TYPE is missing; give a service type, such as http, or --all")
    }
    let sought = try texts.map { text throws(DiscoveryError) in try SoughtType(parsing: text) }
    for (place, one) in sought.enumerated() where sought[..<place].contains(where: { $0.type == one.type }) {
      throw Commands.browse.usageError("the type \(one.type) is given more than once; give it once")
    }
    return sought
  }
}
