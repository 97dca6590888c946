/// What a listener offers to browsers on its port: a WebSocket, a handful of files, and a few paths that handlers answer.
///
/// ```swift
/// let site = WebSite(files: ["/": WebFile("text/html; charset=utf-8", page), "/app.js": WebFile("text/javascript", script)])
/// let listener = try await Listener.bind(security: .plaintext(serving: site))
/// ```
/// A value in memory: no path leads to a file of the machine.
public struct WebSite: Sendable {
  /// The path of the WebSocket, without a query.
  public let socketPath: String

  /// The files by their paths, which begin with a slash.
  public let files: [String: WebFile]

  /// The handlers of paths whose content is made when it is asked for, such as `/health`. A path is either a file's or a handler's.
  public let handlers: [String: WebHandler]

  /// The bounds of the handlers.
  public var handlerLimits: WebHandlerLimits

  /// The kind of the messages.
  public var messages: WebSocketMessages

  /// The pages that may open the WebSocket.
  public var origins: AllowedOrigins

  /// The hosts by which the site may be addressed.
  public var hosts: AllowedHosts

  /// The subprotocols of the WebSocket, the preferred one first. The first that the client offers, too, is agreed on.
  public let subprotocols: [String]

  /// The longest time from the first byte of a request to the end of its head, more than zero. A slower client is answered with 408.
  ///
  /// It is less if the listener's `PendingConnectionLimits.timeLimit` is near; see ``WebHandlerLimits/timeLimit``.
  public let headTime: Duration

  /// Creates a site.
  ///
  /// - Parameters:
  ///   - socketPath: The path of the WebSocket: visible ASCII that begins with a slash, without a query.
  ///   - files: The files by their paths, in the same form.
  ///   - handlers: The handlers by their paths, in the same form; none of them has a file, too.
  ///   - handlerLimits: The bounds of the handlers.
  ///   - messages: The kind of the messages.
  ///   - origins: The pages that may open the WebSocket.
  ///   - hosts: The hosts by which the site may be addressed.
  ///   - subprotocols: The subprotocols, which must be tokens (RFC 9110, section 5.6.2).
  ///   - headTime: The longest time for the head of a request, more than zero.
  public init(
    socketPath: String = "/socket", files: [String: WebFile] = [:], handlers: [String: WebHandler] = [:],
    handlerLimits: WebHandlerLimits = WebHandlerLimits(), messages: WebSocketMessages = .text,
    origins: AllowedOrigins = .sameHost, hosts: AllowedHosts = .local(), subprotocols: [String] = [],
    headTime: Duration = .seconds(4)
  ) {
    for path in [socketPath] + files.keys + handlers.keys {
      precondition(
        Self.isPath(path), "paths must be visible ASCII, begin with a slash, and have neither a query nor a fragment")
    }
    precondition(
      subprotocols.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) }, "subprotocols must be tokens")
    precondition(headTime > .zero, "headTime must be more than zero")
    precondition(files.keys.allSatisfy { handlers[$0] == nil }, "handlers must have other paths than files")
    self.socketPath = socketPath
    self.files = files
    self.handlers = handlers
    self.handlerLimits = handlerLimits
    self.messages = messages
    self.origins = origins
    self.hosts = hosts
    self.subprotocols = subprotocols
    self.headTime = headTime
  }

  private static func isPath(_ path: String) -> Bool {
    path.utf8.first == UInt8(ascii: "/")
      && path.utf8.allSatisfy { $0.isVisible && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  }
}
