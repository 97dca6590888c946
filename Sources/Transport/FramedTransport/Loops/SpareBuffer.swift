/// A large buffer that is taken, filled, emptied and given back, so that it is not allocated again and again.
package struct SpareBuffer {
  private let size: Int
  private var spare: [UInt8] = []

  /// - Parameter size: The least capacity of a buffer in bytes.
  package init(size: Int) {
    self.size = size
  }

  /// An empty buffer.
  package mutating func take() -> [UInt8] {
    var buffer: [UInt8] = []
    swap(&buffer, &spare)
    if buffer.capacity < size { buffer.reserveCapacity(size) }
    return buffer
  }

  /// Takes a buffer back, if it is a large one. Exchanged rather than assigned: with a second reference to it, emptying would allocate
  /// another.
  package mutating func give(_ buffer: inout [UInt8]) {
    guard buffer.capacity >= size else { return }
    swap(&buffer, &spare)
    spare.removeAll(keepingCapacity: true)
  }
}
