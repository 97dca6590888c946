/// A request for a path that a handler answers. The client chooses all of it: escape it for display.
public struct WebRequest: Hashable, Sendable {
  /// The path and the query, as they were sent, such as `/metrics?format=json`.
  public let target: String

  /// The host that the client has asked for, with a port if there is one.
  public let host: String

  package init(target: String, host: String) {
    self.target = target
    self.host = host
  }

  /// The part of the target before the query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The value of a parameter of the target's query, such as that of `format` in `/metrics?format=json`; `nil` if there is none.
  ///
  /// The value is as it was sent: `%` and `+` have no meaning. The first parameter of the name counts.
  public func parameter(_ name: String) -> String? { WebTarget.parameter(name, in: target) }
}

/// The target of a request.
enum WebTarget {
  static func parameter(_ name: String, in target: String) -> String? {
    guard let question = target.firstIndex(of: "?") else { return nil }
    for pair in target[target.index(after: question)...].split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts[0] == name { return parts.count == 2 ? String(parts[1]) : "" }
    }
    return nil
  }
}
