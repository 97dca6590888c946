import FramedCoding

/// A channel's data about the listener that accepted it.
struct AdmissionContext: Sendable {
  let registry: ConnectionRegistry
  let ticket: AdmissionQueue.Ticket
  let byteCounter: ByteCounter

  var isAdmittedByFirstFrame: Bool { registry.limits.admission == .firstFrame }

  /// The largest body, in bytes, that the peer may send before it is admitted; at most what the format permits.
  func largestFrame(_ format: FrameFormat) -> Int {
    guard !isAdmittedByFirstFrame, let limit = registry.limits.largestFrame else { return format.maximumBodySize }
    return min(limit, format.maximumBodySize)
  }
}
