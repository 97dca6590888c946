import FramedCoding
import FramedTransport
import _FramedWebProtocol

/// Puts WebSockets over streams: the settings of one `ConnectionSecurity` or `ListenerSecurity`.
final class WebLayer: StreamLayer {
  /// Which side it is.
  enum Side: Sendable {
    case client(WebSocketRequest)
    case server(WebSite)

    var role: WebSocketRole {
      switch self {
      case .client: .client
      case .server: .server
      }
    }

    var messages: WebSocketMessages {
      switch self {
      case .client(let request): request.messages
      case .server(let site): site.messages
      }
    }
  }

  /// The least byte that a head of HTTP is made of, apart from line ends.
  static let leastByte: UInt8 = 0x20

  let side: Side
  /// The places for handlers, of all connections together.
  let handlerPlaces: HandlerPlaces
  /// Tells the time of deadlines.
  let now: @Sendable () -> ContinuousClock.Instant

  init(_ side: Side, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
    self.side = side
    self.now = now
    let (limits, pathCount) =
      switch side {
      case .server(let site): (site.handlerLimits, site.handlers.count)
      case .client: (WebHandlerLimits(), 0)
      }
    limits.check()
    handlerPlaces = HandlerPlaces(HandlerShares(limits, pathCount: pathCount))
  }

  func require(_ format: FrameFormat) {
    guard let prefix = format.lengthPrefix else { preconditionFailure("format must begin with a length to go over WebSockets") }
    guard case .server = side else { return }
    let least = [UInt8](repeating: Self.leastByte, count: prefix.width.rawValue).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let counted = prefix.countsItself ? prefix.width.rawValue : 0
    precondition(
      UInt64(format.largestBodySize) + UInt64(counted) < least,
      "maximumBodySize must be less than \(least) bytes, so that a length is not taken for a request")
  }

  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream {
    if case .client = side { require(terms.format) }
    return WebStream(over: stream, self, terms, peer: peer, on: transportLoop)
  }
}
