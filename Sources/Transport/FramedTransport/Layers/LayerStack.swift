package import FramedCoding

/// Two layers as one: an upper one, such as WebSockets, whose stream goes through a lower one, such as encryption.
package final class LayerStack: StreamLayer {
  package let upper: any StreamLayer
  private let lower: any StreamLayer

  package init(_ upper: any StreamLayer, over lower: any StreamLayer) {
    self.upper = upper
    self.lower = lower
  }

  // The lower layer carries bytes of the upper one, whatever frames they are made of.
  package func require(_ format: FrameFormat) { upper.require(format) }

  package func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream {
    let encrypted = lower.wrap(stream, peer: peer, terms: terms, on: transportLoop)
    let whole = upper.wrap(encrypted, peer: peer, terms: terms, on: transportLoop)
    // The channel sees the upper stream only, and the peer is heard by the lower one first.
    encrypted.whenProgressing { [weak whole] progress in whole?.core.note(progress) }
    return whole
  }

  package func confirm(_ facts: [any Sendable], _ done: @escaping @Sendable (TransportError?) -> Void) {
    lower.confirm(facts) { [upper] error in
      if let error { done(error) } else { upper.confirm(facts, done) }
    }
  }

  package func prepareToDeliver(_ facts: [any Sendable], _ done: @escaping @Sendable () -> Void) {
    lower.prepareToDeliver(facts) { [upper] in upper.prepareToDeliver(facts, done) }
  }

  package var acceptsOneKeyOnly: Bool { lower.acceptsOneKeyOnly || upper.acceptsOneKeyOnly }

  package func countedCode(for code: TransportError.Code) -> TransportError.Code? {
    upper.countedCode(for: code) ?? lower.countedCode(for: code)
  }
}
