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
  /// Called once the layer is established, away from the loop, so that it may read and write small files.
  ///
  /// - Parameter facts: Those of all layers of the connection, the uppermost first.
  /// - Throws: An error if the peer is not acceptable; the connection is aborted then.
  func confirm(_ facts: [any Sendable]) throws(TransportError)

  /// What is to be done before the app gets a connection that a listener has accepted; `nil` for nothing.
  ///
  /// Called once the layer is established. The closure is called away from the loops, so that it may read and write small files; other
  /// connections of the listener wait meanwhile.
  ///
  /// - Parameter facts: Those of all layers of the connection, the uppermost first.
  func work(beforeDelivering facts: [any Sendable]) -> (@Sendable () -> Void)?

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
  /// Does what is to be done before a listener's connection is delivered.
  func prepareToDeliver(_ facts: [any Sendable]) async {
    guard let work = work(beforeDelivering: facts) else { return }
    // The task may prefer a loop's thread, as that of `Listener.serve` does.
    await withTaskExecutorPreference(globalConcurrentExecutor) { await Self.run(work) }
  }

  @concurrent private static func run(_ work: @Sendable () -> Void) async { work() }

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

  package init(_ format: FrameFormat, _ limits: TransportLimits, largestFrame: Int, log: TransportLog? = nil) {
    self.log = log
    self.format = format
    self.limits = limits
    self.largestFrame = largestFrame
  }
}
