import _BonjourishEventLoop
import _FramedWebProtocol

/// What a stream has found out, and what the app wants to say at its end.
final class WebFacts: Sendable {
  private struct State {
    var details: WebDetails?
    var closeToSend: WebSocketClose?
  }

  private let state = Locked(State())

  /// Set once, when the WebSocket is open.
  var details: WebDetails? { state.withLock { $0.details } }

  /// The content of this side's closing frame; `nil` for the usual one.
  var closeToSend: WebSocketClose? { state.withLock { $0.closeToSend } }

  func set(_ details: WebDetails) { state.withLock { $0.details = details } }

  func setCloseToSend(_ close: WebSocketClose) { state.withLock { $0.closeToSend = close } }
}
