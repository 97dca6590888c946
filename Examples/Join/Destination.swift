import Bonjourish
import Console
import FramedTransport
import PlayerConsole

/// Where a room is said to be: `HOST:PORT`, an IPv6 address in brackets.
struct Destination: Hashable, Sendable, CustomStringConvertible {
  let host: String
  let port: UInt16

  static let format = ValueFormat("a host and a port, such as ada.local:4242 or [fe80::1%eth0]:4242") { Destination($0) }

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port != 0 else {
      return nil
    }
    var host = text[..<colon]
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty else { return nil }
    (self.host, self.port) = (String(host), port)
  }

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  func addresses() async throws(Failure) -> [SocketAddress] {
    do {
      return try await SocketAddress.resolve(host: host, port: port)
    } catch {
      throw Failure(.unavailable, error.description)
    }
  }
}

extension PlayerInvocation {
  func instanceName(_ text: String) throws(Failure) -> InstanceName {
    do {
      return try InstanceName(text)
    } catch {
      throw Failure(.usage, error.message)
    }
  }
}
