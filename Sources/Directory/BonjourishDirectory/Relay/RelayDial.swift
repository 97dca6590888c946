import BonjourishTransport
import FramedTransport
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

/// An attempt to open a relayed connection.
struct RelayDial {
  private let record: DirectoryRecord
  private let address: RelayNumber
  private let hub: RelayHub
  private let loop: EventLoop
  private let connection = RelayNumber.random()

  init(_ record: DirectoryRecord, at address: RelayNumber, by hub: RelayHub, on loop: EventLoop) {
    self.record = record
    self.address = address
    self.hub = hub
    self.loop = loop
  }

  /// Connects.
  ///
  /// - Throws: `refused`, `timedOut`, `cancelled`; `outOfResources` if there are too many connections.
  func connect(within limit: Duration) async throws(TransportError) -> RelayedStream {
    let attempt = "Connecting to \"\(record.name.text)\" by the relay"
    let reason = "no answer within \(limit); check that both programs reach the directory"
    let answer = LoopAnswer<RelayStream>(on: loop)
    let stream = try await answer.wait(
      within: limit, orThrow: TransportError(.timedOut, "\(attempt) failed: \(reason)"), attempt
    ) {
      begin(answer, attempt)
    }
    let peer = stream.link.peer ?? address
    return RelayedStream(
      peer: SocketAddress(relay: peer, connection: connection), local: SocketAddress(relay: hub.address, connection: connection)
    ) { _ in stream }
  }

  private func begin(_ answer: LoopAnswer<RelayStream>, _ attempt: String) {
    loop.assertIsCurrent()
    let inbox = RelayInbox()
    guard hub.add(inbox, at: RelayHub.Place(connection: connection, side: .dialer)) else {
      let error = TransportError(.outOfResources, "\(attempt) failed: there are too many relayed connections")
      return answer.give(.failure(error))
    }
    let link = RelayLink(dialing: record.owner, as: hub.address, connection: connection, at: .now)
    let stream = RelayStream(link, inbox, hub, dialling: address, on: loop)
    answer.onFailure { stream.reset() }
    stream.begin { error in answer.give(error.map { .failure($0) } ?? .success(stream)) }
  }
}
