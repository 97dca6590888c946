/// A request for a path that a handler answers. The client chooses its target and host: escape them for display.
public struct WebRequest: Hashable, Sendable {
  /// The method: `GET` or `HEAD`. The answer to `HEAD` is sent without its content, whatever the handler returns.
  public let method: String

  /// The path and the query, as they were sent, such as `/metrics?format=json`.
  public let target: String

  /// The host that the client has asked for, with a port if there is one.
  public let host: String

  /// The client's address, of a type of the module that has connections; `nil` until it is known.
  package var peerBox: WebPeer?

  package init(method: String, target: String, host: String) {
    self.method = method
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

/// An address of any type.
package struct WebPeer: Hashable, Sendable {
  package let value: any Hashable & Sendable

  package init(_ value: any Hashable & Sendable) {
    self.value = value
  }

  package static func == (one: WebPeer, other: WebPeer) -> Bool { AnyHashable(one.value) == AnyHashable(other.value) }

  package func hash(into hasher: inout Hasher) { AnyHashable(value).hash(into: &hasher) }
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
