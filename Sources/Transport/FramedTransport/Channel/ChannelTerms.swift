import FramedCoding
import _BonjourishEventLoop

/// The settings that all connections of a listener share, so that they are in memory once.
final class ChannelTerms: Sendable {
  let format: FrameFormat
  let encoder: FrameEncoder
  let limits: TransportLimits
  /// The time within which a connection must be admitted; `nil` if it needs no admission.
  let admissionTime: Duration?
  /// Whether there is any time limit.
  let hasTimeLimits: Bool
  /// Whether empty frames are heartbeats: they are sent, but not delivered.
  let hasHeartbeat: Bool
  /// The longest time in nanoseconds for a frame, for a peer that accepts nothing, and for admission; `nil` for no limit.
  let frameNanoseconds, stallNanoseconds, admissionNanoseconds: Int64?
  /// The times in nanoseconds without sending, and without receiving, after which a heartbeat is sent, and the time without receiving
  /// after which the connection ends; `nil` for never.
  let heartbeatNanoseconds, questionNanoseconds, silenceNanoseconds: Int64?

  /// - Parameter format: It must permit empty frames if the limits have a heartbeat.
  init(_ format: FrameFormat, _ limits: TransportLimits, admissionTime: Duration? = nil) {
    limits.check()
    self.format = format
    encoder = FrameEncoder(format: format)
    self.limits = limits
    self.admissionTime = admissionTime
    frameNanoseconds = limits.frameTime?.nanosecondsRoundedUp
    stallNanoseconds = limits.stallTime?.nanosecondsRoundedUp
    admissionNanoseconds = admissionTime?.nanosecondsRoundedUp
    heartbeatNanoseconds = limits.heartbeat?.interval.nanosecondsRoundedUp
    silenceNanoseconds = limits.heartbeat?.timeout.nanosecondsRoundedUp
    questionNanoseconds = silenceNanoseconds.map { $0 / 2 }
    hasHeartbeat = limits.heartbeat != nil
    hasTimeLimits = limits.frameTime != nil || limits.stallTime != nil || admissionTime != nil || hasHeartbeat
    precondition(
      !hasHeartbeat || format.permitsEmptyFrames, "limits.heartbeat must be nil because the format permits no empty frames")
  }
}

extension StreamTerms {
  /// - Parameters:
  ///   - admission: The context of a connection that a listener has accepted.
  ///   - peerBlock: What counts as its peer's address.
  init(
    _ terms: ChannelTerms, _ admission: AdmissionContext? = nil, log: TransportLog? = nil, peerBlock: AddressBlock? = nil
  ) {
    let largest = admission?.largestFrame(terms.format) ?? terms.format.maximumBodySize
    self.init(
      terms.format, terms.limits, largestFrame: largest, log: log, admissionTime: terms.admissionTime, peerBlock: peerBlock)
  }
}
