import CBonjourishLinux
import FramedTransport
import _BonjourishEventLoop

/// A stream whose received bytes go through a closure first, as if a device between changed them.
///
/// Confined to the loop.
final class ManipulatedStream: ByteStream {
  private let lower: any ByteStream
  private let change: (inout [UInt8]) -> Void
  private var rest: [UInt8] = []
  private var hasEnded = false

  /// - Parameter change: Called with the bytes of each read.
  init(over lower: any ByteStream, _ change: @escaping (inout [UInt8]) -> Void) {
    self.lower = lower
    self.change = change
  }

  func start(_ interest: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void) throws(SystemError) {
    try lower.start(interest, handler)
  }

  func update(_ interest: DescriptorEvents) throws(SystemError) { try lower.update(interest) }

  func receive(into output: inout OutputSpan<UInt8>) throws(SystemError) -> Int {
    // What is added fits: the layer above takes more than a record at once.
    var bytes: [UInt8] = []
    var count = 0
    try bytes.append(addingCapacity: max(1, output.freeCapacity / 2)) { (output) throws(SystemError) in
      count = try lower.receive(into: &output)
    }
    guard count > 0 else { return 0 }
    change(&bytes)
    guard !bytes.isEmpty else { throw SystemError("receive", errno: EAGAIN) }
    for byte in bytes { output.append(byte) }
    return bytes.count
  }

  func send(_ pieces: UnsafeMutableBufferPointer<iovec>) throws(SystemError) -> Int { try lower.send(pieces) }
  func finishSending() throws(SystemError) { try lower.finishSending() }
  func countUnacknowledgedBytes() -> Int { lower.countUnacknowledgedBytes() }
  func close() { lower.close() }
  func reset() { lower.reset() }
}
