/// How much a connection holds in memory before it makes somebody wait.
public struct TransportLimits: Hashable, Sendable {
  /// From how many bytes that wait to be sent on `send` suspends.
  public let sendHighWater: Int

  /// To how many bytes that wait to be sent their number has to fall before a suspended `send` goes on.
  public let sendLowWater: Int

  /// From how many received bytes that nobody has taken on the connection stops reading; then the peer has to wait.
  ///
  /// One frame that is larger is received nevertheless.
  public let receiveAhead: Int

  /// Limits in bytes.
  ///
  /// - Parameters:
  ///   - sendHighWater: At least 1.
  ///   - sendLowWater: Less than `sendHighWater`; a quarter of it when not given.
  ///   - receiveAhead: At least 1.
  public init(sendHighWater: Int = 256 * 1024, sendLowWater: Int? = nil, receiveAhead: Int = 256 * 1024) {
    precondition(sendHighWater > 0, "With a high-water mark of 0 nothing could ever be sent")
    precondition(receiveAhead > 0, "Without receiving ahead nothing could ever be received")
    let sendLowWater = sendLowWater ?? sendHighWater / 4
    precondition((0..<sendHighWater).contains(sendLowWater), "The low-water mark has to be below the high-water mark")
    self.sendHighWater = sendHighWater
    self.sendLowWater = sendLowWater
    self.receiveAhead = receiveAhead
  }

  /// 256 KiB in either direction, and a low-water mark of 64 KiB.
  public static let standard = TransportLimits()
}
