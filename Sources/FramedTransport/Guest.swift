import Framing

/// What a channel keeps of the listener that accepted it.
struct Guest: Sendable {
  let reception: Reception
  let ticket: Door.Ticket
  let tally: Tally

  var isAdmittedByFirstFrame: Bool { reception.limits.admission == .firstFrame }

  /// The largest body that it may send before it is admitted, at most what the format permits.
  func largestFrame(_ format: FrameFormat) -> Int {
    guard !isAdmittedByFirstFrame, let limit = reception.limits.largestFrame else { return format.maximumBodySize }
    return min(limit, format.maximumBodySize)
  }
}
