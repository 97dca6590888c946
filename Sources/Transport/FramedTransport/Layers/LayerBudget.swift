/// What one stream of a layer may take in one tick of the loop, whether or not it gives the channel anything.
///
/// Every layer keeps to it, because its peer chooses what comes: requests for new keys, pings and empty messages cost time and deliver
/// nothing, so what is delivered bounds nothing. A layer counts the bytes that it receives from the stream below, and the steps that it
/// takes. When either is used up it stops, keeps what it holds, and is readable in the next tick again: whatever has come must not wait
/// for another event below. Timers and the other connections of the loop have their turn between.
///
/// A step is what costs a fixed time: each record of an encryption, and what gives no application data of a framing, such as a ping. The
/// dearest is a request for new keys, with about ten microseconds.
package struct LayerBudget {
  /// The most steps in a tick, and the least. Between these, one for each `bytesOfStep` that the channel has room for: where many send
  /// much, the loop's ``ReadBudget``, which counts the cost of them all, makes that little.
  package static let mostSteps = 256
  package static let leastSteps = 32
  static let bytesOfStep = 128

  private var tick = UInt64.max
  /// The bytes that may still be received in this tick.
  package private(set) var bytes = 0
  /// The steps that may still be taken in this tick.
  package private(set) var steps = 0
  /// Whether it has ended the last step of its layer, so that there may be more to do without another event.
  package var isCutShort = false
  private var bytesTaken = 0
  private var stepsTaken = 0

  /// What was taken since ``begin(room:overhead:in:)``, in bytes: those received, or those that the steps count as.
  package var cost: Int { max(bytesTaken, stepsTaken * Self.bytesOfStep) }

  package init() {}

  /// Whether nothing more may be received, or no step be taken.
  package var isSpent: Bool { bytes <= 0 || areStepsTaken }

  /// Whether no step may be taken.
  package var areStepsTaken: Bool { steps <= 0 }

  /// Begins to receive. Again in the same tick, it goes on with what is left.
  ///
  /// - Parameters:
  ///   - room: The number of bytes that the channel has room for.
  ///   - overhead: The number of bytes that the layer may need above that for one more record or message.
  ///   - tick: The number of the loop's tick.
  package mutating func begin(room: Int, overhead: Int, in tick: UInt64) {
    (bytesTaken, stepsTaken, isCutShort) = (0, 0, false)
    guard tick != self.tick else { return }
    self.tick = tick
    bytes = room + overhead
    steps = min(Self.mostSteps, max(Self.leastSteps, room / Self.bytesOfStep))
  }

  /// Counts bytes that were received from below.
  package mutating func take(bytes count: Int) {
    bytes -= count
    bytesTaken += count
  }

  /// Counts steps.
  package mutating func take(steps count: Int) {
    steps -= count
    stepsTaken += count
  }
}
