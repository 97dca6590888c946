/// What the handshake of a WebSocket has told. Except for the subprotocol, the client chooses it: escape it for display.
public struct WebDetails: Hashable, Sendable {
  /// The path and the query of the request, as they were sent, such as `/socket?token=…`.
  public let target: String

  /// The host that the client has asked for, with a port if there is one.
  public let host: String

  /// The origin of the page; `nil` if none was sent, as programs that are no browsers do.
  public let origin: String?

  /// The subprotocol that both sides have agreed on.
  public let subprotocol: String?

  package init(target: String, host: String, origin: String?, subprotocol: String?) {
    self.target = target
    self.host = host
    self.origin = origin
    self.subprotocol = subprotocol
  }

  /// The value of a parameter of the target's query, such as that of `token` in `/socket?token=9Q2-K4`; `nil` if there is none.
  ///
  /// The value is as it was sent: `%` and `+` have no meaning. The first parameter of the name counts.
  public func parameter(_ name: String) -> String? { WebTarget.parameter(name, in: target) }
}
