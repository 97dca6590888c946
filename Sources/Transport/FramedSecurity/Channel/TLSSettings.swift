import FramedTransport
import _BonjourishEventLoop

/// The settings of connections that begin, which may depend on files.
protocol TLSSettings: Sendable {
  /// The settings of a connection that begins now. They hold for that connection.
  var present: TLSLayer { get }

  /// What must be read again before a connection begins; `nil` for nothing. Asks the system whether files have changed, and reads none.
  var update: SettingsUpdate? { get }
}

/// Reading files again on which settings depend.
struct SettingsUpdate: Sendable {
  /// Where it is done, because it may block.
  let thread: WorkThread
  /// Reads the files, unless another connection has had that done meanwhile; returns an error with which the connection must end.
  let run: @Sendable (TransportLog?) -> TransportError?
}
