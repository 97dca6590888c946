package import FramedCoding

/// Puts a layer, such as encryption, over the streams of new connections.
package protocol StreamLayer: Sendable {
  /// Refuses, by a precondition, a format of frames that the layer cannot carry. Called before there is a connection.
  func require(_ format: FrameFormat)

  /// Puts the layer over a stream that has not been started. Can be called on any thread.
  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream

  /// Checks what the layer found out about the peer, before the app gets a connection that this side has opened.
  ///
  /// Called once the layer is established, away from the loop, so that it may read and write small files.
  ///
  /// - Throws: An error if the peer is not acceptable; the connection is aborted then.
  func confirm(_ facts: any Sendable) throws(TransportError)

  /// Whether only a peer with one key, which is known before, is connected to.
  var acceptsOneKeyOnly: Bool { get }

  /// The code under which a listener counts an error that prevented the layer; `nil` for those that it counts without layers, too.
  func countedCode(for code: TransportError.Code) -> TransportError.Code?
}

extension StreamLayer {
  package var acceptsOneKeyOnly: Bool { false }

  package func countedCode(for code: TransportError.Code) -> TransportError.Code? { nil }
}

extension StreamLayer {
  /// Accepts all formats.
  package func require(_ format: FrameFormat) {}
}

/// What a layer may need to know about the frames above it.
package struct StreamTerms: Sendable {
  package let format: FrameFormat
  package let limits: TransportLimits
  /// The largest body in bytes that the peer may send at first; see ``ByteStream/permit(largestFrame:)``.
  package let largestFrame: Int

  package init(_ format: FrameFormat, _ limits: TransportLimits, largestFrame: Int) {
    self.format = format
    self.limits = limits
    self.largestFrame = largestFrame
  }
}

/// A stream that is a layer over another one, and that must be established with the peer before it carries frames.
///
/// It takes part in the channel's limits from the start: until it is established it takes no bytes and reports none, so a peer
/// that hesitates stays a pending connection.
package protocol LayeredStream: ByteStream {
  /// What it does as other streams do.
  var core: StreamCore { get }

  /// What the layer knows about the connection, once it is established. The connection keeps it for the layer's module.
  var facts: any Sendable { get }

  /// Sets a closure to be called once on the loop: when the layer is established, or with the error that prevents it.
  ///
  /// Called before `start`. If the stream is closed before, the error is `closed`.
  func whenEstablished(_ handler: @escaping (TransportError?) -> Void)

  /// Sets a closure to be called on the loop while the layer is being established, as soon as the peer was heard, and when it has
  /// answered. Called before `start`.
  func whenProgressing(_ handler: @escaping (ConnectionProgress) -> Void)
}

extension LayeredStream {
  package func whenEstablished(_ handler: @escaping (TransportError?) -> Void) { core.whenEstablished(handler) }

  package func whenProgressing(_ handler: @escaping (ConnectionProgress) -> Void) { core.whenProgressing(handler) }
}
