import Bonjourish
import FourInARow
import FramedTransport
import PacketDuel

/// Runs one side of a duel over connections.
actor Duel {
  static let serviceType: ServiceType = "_fourinarow._tcp"

  /// An opponent may think as long as they like, but a packet that has begun must be complete within 30 s.
  static let limits = TransportLimits(frameTime: .seconds(30))

  /// A peer has 30 s to send its name; until then its connection is pending.
  static let pending = PendingConnectionLimits(admission: .app, timeLimit: .seconds(30))

  /// The events, for one iteration; the sequence ends after `closed`. The length of a game bounds the buffer.
  nonisolated let events: AsyncStream<DuelEvent>

  private nonisolated let report: AsyncStream<DuelEvent>.Continuation
  private nonisolated let withdrawal = AsyncStream<Never>.makeStream()
  private let warn: @Sendable (String) -> Void
  private let codec = MarshallingCodec<DuelMessage>()
  private var machine: DuelMachine
  private var connections: [DuelMachine.PeerID: Connection] = [:]
  private var connectionCount = 0

  /// - Parameter warn: Called when a pending peer breaks the protocol.
  init(_ role: DuelMachine.Role, as name: InstanceName, warn: @escaping @Sendable (String) -> Void) {
    (events, report) = AsyncStream.makeStream()
    self.warn = warn
    machine = DuelMachine(role, name: name.text)
  }

  /// Returns when the host no longer needs to be found, or the task is cancelled.
  nonisolated func untilWithdrawn() async {
    for await _ in withdrawal.stream {}
  }

  /// Runs a connection until it has ended.
  func serve(_ connection: Connection) async {
    connectionCount += 1
    let peer = DuelMachine.PeerID(rawValue: connectionCount)
    connections[peer] = connection
    carryOut(machine.handle(.connected(peer)))
    do throws(TransportError) {
      for try await frame in connection.frames {
        do throws(MessageError) {
          carryOut(machine.handle(.received(peer, try codec.decode(frame))))
        } catch {
          carryOut(machine.handle(.violated(peer, .malformed(error))))
        }
      }
    } catch {
      switch error.code {
      case .frameTooLarge, .malformedFrame, .truncated, .frameTimedOut:
        carryOut(machine.handle(.violated(peer, .notAFrame(error.description))))
      // Otherwise the connection broke, or this side closed it.
      default: break
      }
    }
    connections[peer] = nil
    carryOut(machine.handle(.disconnected(peer)))
  }

  /// Drops this player's disc into a column, counted from 0.
  func drop(in column: Int) throws(MoveRefusal) {
    carryOut(try machine.drop(in: column))
  }

  /// Ends the duel, if it has not ended yet, and tells the other side.
  func leave() {
    carryOut(machine.handle(.leave))
  }

  private func carryOut(_ effects: [DuelMachine.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let peer): connections[peer].map { send(message, over: $0) }
      case .admit(let peer): connections[peer]?.admit()
      case .disconnect(let peer):
        // Ends the iteration in `serve`, after everything has been sent.
        guard let connection = connections.removeValue(forKey: peer) else { continue }
        Task { await connection.close() }
      case .withdraw: withdrawal.continuation.finish()
      case .report(let event):
        report.yield(event)
        if case .closed = event { report.finish() }
      case .warn(let peer, let violation):
        warn("\(connections[peer]?.peer.description ?? "a stranger") was turned away: \(violation)")
      }
    }
  }

  private func send(_ message: DuelMessage, over connection: Connection) {
    do {
      if try connection.trySend(codec.encode(message)) { return }
    } catch {
      // The iteration in `serve` gets the same error.
    }
    connection.abort()
  }
}
