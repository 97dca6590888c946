import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// Messages on their way from the library's thread to a loop, in order. The loop is woken once for as many as there are.
///
/// JetStream stops delivering when nobody takes what it has sent, so the limit is for those who do not keep to that: what exceeds it
/// is dropped, and the watch notices the gap.
final class MessageInbox: Sendable {
  private struct State {
    var messages: [DirectoryMessage] = []
    var byteCount = 0
  }

  /// The largest size of the messages that wait, in bytes. JetStream has at most 32 MB of a consumer on their way.
  static let limit = 64 << 20
  /// What a message takes beside its data, about.
  private static let overhead = 512

  private let loop: EventLoop
  private let maximumByteCount: Int
  private let state = Locked(State())
  private let receive: @Sendable ([DirectoryMessage]) -> Void

  /// - Parameters:
  ///   - loop: Where messages are handled.
  ///   - maximumByteCount: The largest data of a message.
  ///   - receive: Called on the loop.
  init(
    on loop: EventLoop, maximumByteCount: Int = DirectoryMessage.maximumByteCount,
    _ receive: @escaping @Sendable ([DirectoryMessage]) -> Void
  ) {
    self.loop = loop
    self.maximumByteCount = maximumByteCount
    self.receive = receive
  }

  /// Called on a thread of the library.
  func put(_ message: NATSMessage) {
    // Copied here rather than on the loop, which has other things to do.
    let message = message.value(maximumByteCount: maximumByteCount)
    let isFirst = state.withLock { state in
      guard state.byteCount < Self.limit else { return false }
      state.messages.append(message)
      state.byteCount += message.data.count + Self.overhead
      return state.messages.count == 1
    }
    guard isFirst else { return }
    loop.execute { [self] in
      let messages = state.withLock { state in
        let messages = state.messages
        state.messages = []
        state.byteCount = 0
        return messages
      }
      receive(messages)
    }
  }
}
