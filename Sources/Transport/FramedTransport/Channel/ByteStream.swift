package import CBonjourishLinux
package import _BonjourishEventLoop

/// Bytes to and from a peer, in order. It is the only interface of a channel to the layers below its frames.
///
/// A channel runs over a `SocketStream`, over memory, or over a layer: a stream on top of another stream, such as encryption.
/// A framing with more than lengths (WebSocket has a greeting, masks, pings and a closing handshake) is such a layer too. Towards
/// the channel it delivers and takes bodies in the channel's own length-prefixed format, so the channel needs neither a second
/// decoder nor a second queue.
///
/// Rules for a layer:
/// - The handler is level-triggered: it is called as long as an event holds, not only when it begins. It is never called from
///   within a call to the stream. So a layer that holds decoded bytes calls the handler again, even if its descriptor has no
///   event.
/// - A layer decides itself which events of the stream below to wait for. A layer that must write before it can read (a
///   handshake) waits for both, whatever interest the channel has.
/// - A layer takes no more in one tick than a ``LayerBudget`` permits, whether or not that gives the channel anything.
/// - No call blocks: a call that would block throws `EAGAIN`. After any other error a stream can only be closed.
///
/// Used on the loop's thread only.
package protocol ByteStream: AnyObject {
  /// Begins to call a handler with those of the events `readable` and `writable` that are of interest and hold.
  ///
  /// Called once. At the end of the stream and after an error both events hold. The stream retains the handler until it is
  /// closed.
  ///
  /// - Throws: An error if the stream cannot be watched; the stream is closed then.
  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError)

  /// Replaces the events of interest.
  ///
  /// - Throws: An error if the stream can no longer be watched.
  func update(_ interest: DescriptorEvents) throws(SystemError)

  /// Appends the received bytes that fit, and returns their number; 0 at the end of the stream.
  ///
  /// The channel may close the stream after its end. So after `finishSending()` a layer reports the end only when all bytes that
  /// it holds have left.
  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int

  /// What the last ``receive(into:)`` of a layer has cost, in bytes: see ``LayerBudget/cost``; 0 for a stream that gives all it
  /// receives. The loop's ``ReadBudget`` counts it.
  var costOfReceiving: Int { get }

  /// Sends pieces in order, as far as there is room, and returns the number of bytes taken. Fewer than all means there is no
  /// room.
  ///
  /// A layer keeps the bytes that it takes until they have left, so it must limit how many it takes.
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int

  /// Sends a batch of whole frames, as ``send(_:)`` does, that members of a group on this loop share.
  ///
  /// A layer that puts frames in another form makes that form once, and keeps it in `forms` for the other members.
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>, sharing forms: BatchForms) throws(SystemError) -> Int

  /// Permits larger frames from now on, because the peer has been admitted.
  func permit(largestFrame: Int)

  /// Sends the end of the stream, after all bytes that were sent before.
  ///
  /// A layer may send closing bytes of its own before the end, in later ticks.
  func finishSending() throws(SystemError)

  /// The number of bytes that have not arrived at the peer's system yet, as far as is known.
  ///
  /// Includes the bytes that a layer holds, and its closing bytes after `finishSending()`: the number is not 0 before they have
  /// arrived.
  func countUnacknowledgedBytes() -> Int

  /// Closes the stream and releases everything. Bytes that have left may still arrive. May be called again.
  ///
  /// A layer that holds bytes that have not left resets the stream below instead, because the peer does not receive everything.
  func close()

  /// Closes the stream and releases everything, so that the peer sees an error.
  func reset()

  /// Whether nothing arrives at the peer now for reasons that are not the peer's, so that it is not to blame for taking nothing.
  var isInterrupted: Bool { get }

  /// The error to report to the app in place of the system's, after a call has thrown; `nil` if the system's says it all.
  var failure: TransportError? { get }
}

extension ByteStream {
  package func send(_ pieces: UnsafeMutableBufferPointer<iovec>, sharing forms: BatchForms) throws(SystemError) -> Int {
    try send(pieces)
  }

  package func permit(largestFrame: Int) {}

  package var costOfReceiving: Int { 0 }

  package var isInterrupted: Bool { false }

  package var failure: TransportError? { nil }
}

/// The forms of a batch of frames that layers have made. Used on one loop only.
package final class BatchForms {
  /// A layer's form.
  package var form: AnyObject?

  package init() {}
}
