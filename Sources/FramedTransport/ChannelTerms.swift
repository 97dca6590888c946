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

  init(_ format: FrameFormat, _ limits: TransportLimits, admissionTime: Duration? = nil) {
    self.format = format
    encoder = FrameEncoder(format: format)
    self.limits = limits
    self.admissionTime = admissionTime
    hasTimeLimits = limits.frameTime != nil || limits.stallTime != nil || admissionTime != nil
  }
}
