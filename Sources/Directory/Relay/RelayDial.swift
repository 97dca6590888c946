import BonjourishTransport
import DirectoryProtocol
import Discovery
import EventLoop
import FramedTransport

/// An attempt to open a relayed connection. Sendable: used on the loop only; `result` is locked.
final class RelayDial: @unchecked Sendable {
  private let record: DirectoryRecord
  private let address: RelayNumber
  private let hub: RelayHub
  private let loop: EventLoop
  private let connection = RelayNumber.random()
  private let result = Locked<Result<RelayStream, TransportError>?>(nil)
  private var stream: RelayStream?
  private var timer: LoopTimer?
  private var caller: CheckedContinuation<Void, Never>?

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
    await withTaskCancellationHandler {
      await withCheckedContinuation { caller in
        loop.execute {
          self.begin(caller, within: limit, attempt)
        }
      }
    } onCancel: {
      loop.execute { self.decide(.failure(TransportError(.cancelled, "\(attempt) was cancelled with its task"))) }
    }
    guard let result = result.withLock({ $0 }) else { preconditionFailure("a caller is resumed with a result") }
    let stream = try result.get()
    let peer = stream.link.peer ?? address
    return RelayedStream(
      peer: SocketAddress(relay: peer, connection: connection), local: SocketAddress(relay: hub.address, connection: connection)
    ) { _ in stream }
  }

  private func begin(_ caller: CheckedContinuation<Void, Never>, within limit: Duration, _ attempt: String) {
    loop.assertIsCurrent()
    guard result.withLock({ $0 == nil }) else { return caller.resume() }
    self.caller = caller
    let inbox = RelayInbox()
    let link = RelayLink(dialing: record.owner, as: hub.address, connection: connection, at: .now)
    guard hub.add(inbox, at: RelayHub.Place(connection: connection, side: .dialer)) else {
      return decide(.failure(TransportError(.outOfResources, "\(attempt) failed: there are too many relayed connections")))
    }
    let stream = RelayStream(link, inbox, hub, dialling: address, on: loop)
    self.stream = stream
    timer = loop.schedule(after: limit) {
      let reason = "no answer within \(limit); check that both programs reach the directory"
      self.decide(.failure(TransportError(.timedOut, "\(attempt) failed: \(reason)")))
    }
    stream.begin { error in self.decide(error.map { .failure($0) } ?? .success(stream)) }
  }

  private func decide(_ answer: Result<RelayStream, TransportError>) {
    loop.assertIsCurrent()
    let isFirst = result.withLock { result in
      if result != nil { return false }
      result = answer
      return true
    }
    guard isFirst else { return }
    timer?.cancel()
    if case .failure = answer { stream?.reset() }
    stream = nil
    caller?.resume()
    caller = nil
  }
}
