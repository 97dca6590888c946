import EventLoop
import Glibc

/// Bytes to and from a peer, in order: all that a channel knows of what is below its frames.
///
/// A channel is over a `SocketStream`; or over a layer that is a stream itself and has another below, such as one that
/// encrypts; or over memory. A framing that is more than lengths (WebSocket: a greeting, masks, pings, an end of its own) is
/// such a layer too: above it hands on bodies behind the lengths of the channel's format and takes them so, and thus needs
/// neither a second decoder in the channel nor a second queue.
///
/// What a layer has to keep to:
/// - The handler is called while there is something to be told, not only when it comes (level-triggered), and never from
///   within a call to the stream. So a layer that has decoded more than was taken tells so again, although its descriptor,
///   which has nothing more, is silent.
/// - What a layer needs of the stream below is its own affair. One that has to write before it can read (a handshake) waits
///   for both there, whatever is wanted above.
/// - Nothing blocks: what cannot be done now throws `EAGAIN`. After any other error a stream is of no use but to be closed.
///
/// For the loop's thread only.
protocol ByteStream: AnyObject {
  /// Begins to call a handler with those of `readable` and `writable` that are of interest and true.
  ///
  /// To be called once. An end or an error makes both true. The stream holds the handler until it is closed.
  ///
  /// - Throws: When nothing can be told; the stream is closed then.
  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError)

  /// Changes what is of interest.
  ///
  /// - Throws: When nothing can be told any more.
  func update(_ interest: DescriptorEvents) throws(SystemError)

  /// Appends what there is, at most what fits, and returns how many bytes that were: none at the end of the stream.
  ///
  /// The end may be taken for leave to close. So a layer that has been told to finish sending tells of the end only when all
  /// that it holds has left it.
  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int

  /// Sends of pieces in order as much as goes, and returns how many bytes that were: when not all, there is no room.
  ///
  /// What a layer takes it keeps until it has left, so it takes no more than it may hold.
  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int

  /// Tells the peer, after all that was sent, that nothing more will come.
  ///
  /// A layer may still have something to say before that, and does so by and by.
  func finishSending() throws(SystemError)

  /// How many bytes have not arrived at the peer's system yet, as far as is known.
  ///
  /// To them belong those that a layer holds, and those that it has to say after `finishSending()`; so one that has is never
  /// at none before.
  func countUnacknowledgedBytes() -> Int

  /// Lets go of everything; what has left may still arrive. May be called again.
  ///
  /// A layer that holds bytes which have not left breaks the stream below instead, for what arrives is not the whole.
  func close()

  /// Lets go of everything in such a way that the peer learns of it as an error.
  func reset()
}
