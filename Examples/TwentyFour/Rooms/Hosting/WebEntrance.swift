public import FramedWebSockets

/// How a host lets phones and browsers in: by a page over HTTP, on a port of its own.
public struct WebEntrance: Sendable {
  /// The port that is tried first.
  public static let standardPort: UInt16 = 8024

  /// The page, and its WebSocket.
  public var site: WebSite
  /// The port to listen on, 0 for any free one; nil for the port of the state, or else ``standardPort`` or any free port.
  public var port: UInt16?

  public init(_ site: WebSite, port: UInt16? = nil) {
    self.site = site
    self.port = port
  }
}
