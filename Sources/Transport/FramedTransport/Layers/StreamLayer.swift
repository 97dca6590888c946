package import FramedCoding

/// Puts a layer, such as encryption, over the streams of new connections.
package protocol StreamLayer: Sendable {
  /// Refuses, by a precondition, a format of frames that the layer cannot carry. Called before there is a connection.
  func require(_ format: FrameFormat)

  /// Puts the layer over a stream that has not been started. Can be called on any thread.
  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream

  /// Checks what the layers found out about the peer, before the app gets a connection that this side has opened.
  ///
  /// Called once the layer is established, on any thread, which may be a loop's: what reads or writes files is done on a thread of its own.
  ///
  /// - Parameters:
  ///   - facts: Those of all layers of the connection, the uppermost first.
  ///   - done: Called once, on any thread: with an error if the peer is not acceptable; the connection is aborted then.
  func confirm(_ facts: [any Sendable], _ done: @escaping @Sendable (TransportError?) -> Void)

  /// Does what is to be done before the app gets a connection that a listener has accepted.
  ///
  /// Called on the loop once the layer is established: what reads or writes files is done on a thread of its own. Nothing else waits for it.
  ///
  /// - Parameters:
  ///   - facts: Those of all layers of the connection, the uppermost first.
  ///   - done: Called once, on any thread.
  func prepareToDeliver(_ facts: [any Sendable], _ done: @escaping @Sendable () -> Void)

  /// Whether only a peer with one key, which is known before, is connected to.
  var acceptsOneKeyOnly: Bool { get }

  /// The code under which a listener counts an error that prevented the layer; `nil` for those that it counts without layers, too.
  func countedCode(for code: TransportError.Code) -> TransportError.Code?
}

extension StreamLayer {
  package var acceptsOneKeyOnly: Bool { false }

  package func confirm(_ facts: [any Sendable], _ done: @escaping @Sendable (TransportError?) -> Void) { done(nil) }

  package func prepareToDeliver(_ facts: [any Sendable], _ done: @escaping @Sendable () -> Void) { done() }

  package func countedCode(for code: TransportError.Code) -> TransportError.Code? { nil }

  /// Accepts all formats.
  package func require(_ format: FrameFormat) {}
}

/// What a layer may need to know about the frames above it.
package struct StreamTerms: Sendable {
  package let format: FrameFormat
  package let limits: TransportLimits
  /// The largest body in bytes that the peer may send at first; see ``ByteStream/permit(largestFrame:)``.
  package let largestFrame: Int
  /// The log of the listener; `nil` for none.
  package let log: TransportLog?
  /// The longest time for a listener's connection to be pending; `nil` for no limit.
  package let admissionTime: Duration?
  /// What counts as the address of a listener's peer; `nil` on the side that connects.
  package let peerBlock: AddressBlock?

  package init(
    _ format: FrameFormat, _ limits: TransportLimits, largestFrame: Int, log: TransportLog? = nil,
    admissionTime: Duration? = nil, peerBlock: AddressBlock? = nil
  ) {
    self.log = log
    self.admissionTime = admissionTime
    self.peerBlock = peerBlock
    self.format = format
    self.limits = limits
    self.largestFrame = largestFrame
  }
}
