public import Bonjourish
public import FramedTransport
import _BonjourishEventLoop

/// The host where a program found a service first, so that it does not follow the service to another host unasked.
///
/// Discovery is a hint: whoever is on the link can announce that a service has moved to their own machine. A program that has
/// secrets for the first host, such as the token of a seat, makes one of these for the service, and passes it to each attempt to
/// connect. A service that moves to another host is then not connected to.
///
/// It tells hosts apart by the names in SRV records, and by the address of the first connection. It cannot tell that somebody has
/// taken the name or the address of the first host: only a key can. If another host name comes, the service is reached at the
/// first address if that is still among its addresses. If the host has other addresses under its name, as after a change of its
/// network, they are used.
///
/// A service that is found in a directory has a host name of its own there, which says nothing about the host: it is reached at the first
/// address only. But if the connection's security accepts one key only, it is followed wherever the directory says, because only a host
/// with that key can be connected to: several servers with one key can then go on with each other's services. The same holds by a relay,
/// whose addresses stand for programs.
public final class ServiceHost: Sendable {
  private struct Place {
    let name: DomainName
    let address: SocketAddress
  }

  private let place = Locked<Place?>(nil)

  /// Makes a place that the first connection fills in.
  public init() {}

  /// Whether an endpoint is on another host, so that it is not connected to.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - security: The protection of the connection.
  public func isOther(than endpoint: Endpoint, security: ConnectionSecurity = .plaintext) -> Bool {
    addresses(of: endpoint, security) == nil
  }

  /// The addresses to connect to, that of the first connection first; nil if the endpoint is on another host.
  func addresses(of endpoint: Endpoint, _ security: ConnectionSecurity) -> [SocketAddress]? {
    let all = endpoint.socketAddresses
    guard let place = place.withLock({ $0 }) else { return all }
    let known = all.filter { $0.with(port: 0) == place.address }
    if endpoint.isOfDirectory {
      if security.acceptsOneKeyOnly { return known + all.filter { !known.contains($0) } }
    } else if endpoint.host == place.name {
      return known + all.filter { !known.contains($0) }
    }
    return known.isEmpty ? nil : known
  }

  /// Whether a relayed connection may be used.
  ///
  /// - Parameters:
  ///   - host: The name of the host.
  ///   - peer: The address that stands for its program.
  ///   - security: The protection of the connection.
  func admits(_ host: DomainName, _ peer: SocketAddress, _ security: ConnectionSecurity) -> Bool {
    guard let place = place.withLock({ $0 }), !security.acceptsOneKeyOnly else { return true }
    return place.name == host && place.address == peer.with(port: 0)
  }

  /// Notes the first connection.
  ///
  /// - Parameters:
  ///   - host: The name of its host.
  ///   - connected: Its address.
  func note(_ host: DomainName, _ connected: SocketAddress) {
    place.withLock { place in
      if place == nil { place = Place(name: host, address: connected.with(port: 0)) }
    }
  }

  /// The name of the host of the first connection; nil if there was none.
  public var name: DomainName? { place.withLock { $0?.name } }
}
