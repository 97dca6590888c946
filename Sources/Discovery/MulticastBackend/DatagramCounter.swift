import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop

/// Counts the datagrams of one address family, over all its sockets. Confined to the loop.
final class DatagramCounter {
  var counters = DatagramCounters()

  func received(_ bytes: Int) {
    counters.received += 1
    counters.bytesReceived += bytes
  }

  /// Calls a closure that sends a datagram.
  func sending(_ bytes: Int, _ send: () throws(SystemError) -> Void) throws(SystemError) {
    do throws(SystemError) {
      try send()
    } catch {
      counters.failed += 1
      throw error
    }
    counters.sent += 1
    counters.bytesSent += bytes
  }
}

extension MulticastSocket {
  /// The number of datagrams that the kernel has dropped, mostly because the receive buffer was full.
  var dropped: Int {
    // SK_MEMINFO_DROPS, the last number of the list since Linux 4.8.
    let place = 8
    var numbers = [UInt32](repeating: 0, count: place + 1)
    var length = socklen_t(numbers.count * MemoryLayout<UInt32>.stride)
    let result = try? systemCall("getsockopt") { getsockopt(descriptor, SOL_SOCKET, SO_MEMINFO, &numbers, &length) }
    return result == nil ? 0 : Int(numbers[place])
  }
}
