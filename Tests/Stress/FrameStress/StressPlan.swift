/// How much is sent, and by what chance.
package struct StressPlan: Sendable {
  /// All frames, in both directions of all connections together.
  package let frameCount: Int
  package let connectionCount: Int
  /// The same seed gives the same frames and the same choices, though not the same order of events.
  package let seed: UInt64

  package init(frameCount: Int, connectionCount: Int, seed: UInt64) {
    precondition(frameCount > 0 && connectionCount > 0, "Nothing sent over nothing proves nothing")
    self.frameCount = frameCount
    self.connectionCount = connectionCount
    self.seed = seed
  }

  /// The frames of one direction of a connection; the first ones send what does not divide.
  func frameCount(of connection: Int, _ direction: Direction) -> Int {
    let directions = connectionCount * 2
    let index = connection * 2 + (direction == .toServer ? 0 : 1)
    return frameCount / directions + (index < frameCount % directions ? 1 : 0)
  }

  enum Direction: UInt8, Sendable {
    case toServer
    case toClient
  }
}

/// What a proxy does wrong, once, with what the first client sends.
package enum StressFault: Sendable {
  /// Changes a bit of the byte at a place.
  case flip(at: Int)
  /// Leaves out the byte at a place.
  case drop(at: Int)
  /// Passes the byte at a place on twice.
  case repeated(at: Int)

  var place: Int {
    switch self {
    case .flip(let place), .drop(let place), .repeated(let place): place
    }
  }

  /// What becomes of some bytes, the first of which has a place in the stream.
  func change(_ bytes: inout [UInt8], from start: Int) {
    let index = place - start
    guard bytes.indices.contains(index) else { return }
    switch self {
    case .flip: bytes[index] ^= 1
    case .drop: bytes.remove(at: index)
    case .repeated: bytes.insert(bytes[index], at: index)
    }
  }
}

/// What was done.
package struct StressFigures: Sendable {
  package var frames = 0
  /// Of bodies.
  package var bytes = 0
  /// How many pieces the proxy wrote.
  package var pieces = 0
  package var cancelledSends = 0
  package var cancelledReads = 0

  package init() {}

  static func += (left: inout StressFigures, right: StressFigures) {
    left.frames += right.frames
    left.bytes += right.bytes
    left.pieces += right.pieces
    left.cancelledSends += right.cancelledSends
    left.cancelledReads += right.cancelledReads
  }
}

/// What must not happen.
package struct StressFailure: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
