import _BonjourishDiscovery
import _BonjourishEventLoop

/// Messages about links.
extension MulticastBackend {
  /// Logs what happened on a link.
  func logLink(_ level: LogMessage.Level, _ event: String, _ interface: String, _ family: IPAddress.Family) {
    let metadata = ["interface": interface, "family": "\(family)"]
    log(LogMessage(level, "\(event) on \(interface) over \(family)", metadata))
  }

  /// Logs what failed on a link.
  func logFailure(
    _ level: LogMessage.Level, _ event: String, _ interface: String, _ family: IPAddress.Family, _ error: SystemError
  ) {
    let metadata = ["interface": interface, "family": "\(family)", "error": "\(error)"]
    log(LogMessage(level, "\(event) on \(interface) over \(family): \(error)", metadata))
  }
}
