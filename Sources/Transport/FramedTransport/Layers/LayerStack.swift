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

  package func confirm(_ facts: [any Sendable]) throws(TransportError) {
    try lower.confirm(facts)
    try upper.confirm(facts)
  }

  package func work(beforeDelivering facts: [any Sendable]) -> (@Sendable () -> Void)? {
    let works: [@Sendable () -> Void] = [lower, upper].compactMap { $0.work(beforeDelivering: facts) }
    guard !works.isEmpty else { return nil }
    return { for work in works { work() } }
  }

  package var acceptsOneKeyOnly: Bool { lower.acceptsOneKeyOnly || upper.acceptsOneKeyOnly }

  package func countedCode(for code: TransportError.Code) -> TransportError.Code? {
    upper.countedCode(for: code) ?? lower.countedCode(for: code)
  }
}
