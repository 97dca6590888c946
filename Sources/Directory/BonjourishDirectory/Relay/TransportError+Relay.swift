import FramedTransport
import _BonjourishDirectoryProtocol

extension TransportError {
  /// Converts the end of a relayed connection.
  ///
  /// - Parameter isDialling: Whether it had not begun.
  init(_ end: RelayLink.End, dialling isDialling: Bool) {
    let attempt = isDialling ? "Connecting by the relay" : "The relayed connection"
    switch end {
    case .refused:
      self.init(
        .refused, "\(attempt) failed: nobody accepts there; the program may have ended, or takes no more connections now")
    case .reset where isDialling: self.init(.refused, "\(attempt) failed: the other program gave it up; try again")
    case .reset, .broken: self.init(.reset, "\(attempt) was broken by the other program; connect again if it is still there")
    case .silent:
      self.init(
        .timedOut,
        "\(attempt) has ended: nothing came from the other program for \(RelayLink.silence); check that both reach the directory"
      )
    }
  }
}
