import CBonjourishLinux
import _BonjourishEventLoop

/// The result of one call of a receiving function.
enum Received<Datagram> {
  case datagram(Datagram)
  /// A datagram that cannot be used, such as a truncated one.
  case unusable
  /// The socket is empty.
  case nothing
}

/// Receives the datagrams of a socket. The limits make sure that a tick of the loop always ends.
///
/// A pending error, such as a refused unicast answer, is reported once and does not affect the next datagram. An error that is
/// reported again and again means that the socket is broken.
struct DatagramLoop {
  /// The maximum number of calls in one tick. The next tick receives the rest.
  var callLimit = 256
  /// The number of consecutive failures after which the socket counts as broken.
  var failureLimit = 16

  /// Receives datagrams until the socket is empty or a limit is reached.
  ///
  /// - Throws: The last error, when the socket is broken.
  func run<Datagram>(
    _ receive: () throws(SystemError) -> Received<Datagram>, _ body: (Datagram) -> Void
  ) throws(SystemError) {
    var failures = 0
    for _ in 0..<callLimit {
      do throws(SystemError) {
        switch try receive() {
        case .datagram(let datagram): body(datagram)
        case .unusable: break
        case .nothing: return
        }
        failures = 0
      } catch {
        if error.errno == EAGAIN { return }
        failures += 1
        if failures == failureLimit { throw error }
      }
    }
  }
}
