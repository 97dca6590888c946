public import FramedTransport

/// What is open to players while a closure runs, as its owner sees it: a room or a server.
public protocol HostFacade: Sendable {
  associatedtype Machine: HostMachine

  var shell: HostShell<Machine> { get }
}

extension HostFacade {
  /// The addresses on which it listens.
  public var addresses: [SocketAddress] { shell.addresses }
  public var port: UInt16 { addresses[0].port }

  /// The present passcode; nil if none is asked for.
  public var passcode: String? { shell.passcode }

  /// A link by a name on the network; nil if the connections are not encrypted.
  public func link(named name: String) -> RoomLink? { shell.link(named: name) }

  /// The present addresses of the page for phones, the one that a phone most likely reaches first; nil if there is no page. With a passcode
  /// each address lets one phone in.
  public var webAddresses: [String]? { shell.webAddresses }

  /// Evaluates passcodes again, after too many were wrong.
  ///
  /// - Returns: Whether a passcode is asked for.
  public func reopen() -> Bool { shell.reopen() }
}
