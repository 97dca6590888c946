import EventLoop
import Framing

/// What the connections of one listener have in common, so that each of them need not hold it.
final class ChannelTerms: Sendable {
  let format: FrameFormat
  let encoder: FrameEncoder
  let limits: TransportLimits
  /// How long a connection may take to be admitted; `nil` when it has nothing to wait for.
  let admissionTime: Duration?
  /// Whether anything may take only so long.
  let hasTimeLimits: Bool
  /// How many nanoseconds a frame may take, what waits to be sent, and admission; `nil` for as long as they like.
  let frameNanoseconds, stallNanoseconds, admissionNanoseconds: Int64?

  init(_ format: FrameFormat, _ limits: TransportLimits, admissionTime: Duration? = nil) {
    self.format = format
    encoder = FrameEncoder(format: format)
    self.limits = limits
    self.admissionTime = admissionTime
    frameNanoseconds = limits.frameTime?.nanosecondsRoundedUp
    stallNanoseconds = limits.stallTime?.nanosecondsRoundedUp
    admissionNanoseconds = admissionTime?.nanosecondsRoundedUp
    hasTimeLimits = limits.frameTime != nil || limits.stallTime != nil || admissionTime != nil
  }
}
