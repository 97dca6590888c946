import FramedSecurity
import FramedTransport
import FramedWebSockets
import _BonjourishConsole
import _BonjourishJSONOutput

/// `transport-bench client`
struct Client {
  let host: String
  let port: UInt16
  let measures: [Measure]
  let count: Int?
  let size: Int?
  let clients: Int
  let batch: Int
  let security: ConnectionSecurity
  let json: Bool

  init(_ arguments: Arguments) throws {
    host = arguments[Commands.host]
    port = UInt16(arguments[Commands.serverPort])
    let asked = arguments[Commands.measures]
    measures = asked.isEmpty ? Measure.allCases : asked
    count = arguments[Commands.count]
    size = arguments[Commands.size]
    clients = arguments[Commands.clients] ?? 1_000
    batch = arguments[Commands.batch]
    let plain = arguments[Commands.web] ? try ConnectionSecurity.webSocket(host: "localhost", messages: .binary) : .plaintext
    security = arguments[Commands.encrypted] ? .anyKey() : plain
    json = arguments[Commands.json]
  }

  func run() async throws {
    let addresses = try await SocketAddress.resolve(host: host, port: port)
    for measure in measures {
      let peer = try await Peer(to: addresses, security)
      // On the connection's own thread, so that nothing has to change threads.
      let figures = try await withTaskExecutorPreference(peer.connection.executor) {
        try await measured(measure, with: peer, at: addresses)
      }
      await peer.connection.close()
      if json { Output.standard.json(figures) } else { Output.standard.line(figures.description) }
    }
  }

  private func measured(_ measure: Measure, with peer: Peer, at addresses: [SocketAddress]) async throws -> any Figures {
    switch measure {
    case .oneWay: try await OneWay(count: count ?? 5_000_000, size: size ?? 64, batch: batch).measured(with: peer)
    case .pingPong: try await PingPong(count: count ?? 20_000, size: size ?? 64).measured(with: peer)
    case .fanOut:
      try await FanOut(
        clients: clients, broadcast: Broadcast(count: count ?? 200, size: size ?? 256), security: security
      ).measured(with: peer, at: addresses)
    case .accept: try await Greeting(count: count ?? 20_000, security: security).measured(at: addresses)
    }
  }
}
