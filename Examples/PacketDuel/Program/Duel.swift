import Bonjourish
import FourInARow
import FramedTransport
import Framing
import PacketDuel

/// Runs one side of a duel over connections.
actor Duel {
  static let serviceType: ServiceType = "_fourinarow._tcp"

  /// How long an opponent may take to think is his affair; a packet that has begun has to be whole within half a minute.
  static let limits = TransportLimits(frameTime: .seconds(30))

  /// Who has not said his name is a stranger, and there may be a few of them.
  static let strangers = NewcomerLimits(admission: .app, timeLimit: .seconds(30))

  /// What happens, for one who iterates; ends after `closed`. It is bounded by the length of a game.
  nonisolated let events: AsyncStream<DuelEvent>

  private nonisolated let report: AsyncStream<DuelEvent>.Continuation
  private nonisolated let withdrawal = AsyncStream<Never>.makeStream()
  private let warn: @Sendable (String) -> Void
  private let codec = MarshallingCodec<DuelMessage>()
  private var machine: DuelMachine
  private var connections: [DuelMachine.PeerID: Connection] = [:]
  private var connectionCount = 0

  /// - Parameter warn: Told of strangers who did what they must not.
  init(_ role: DuelMachine.Role, as name: InstanceName, warn: @escaping @Sendable (String) -> Void) {
    (events, report) = AsyncStream.makeStream()
    self.warn = warn
    machine = DuelMachine(role, name: name.text)
  }

  /// Returns when the host need not be found any more.
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
      // Otherwise the connection broke, or the program ends.
      default: break
      }
    }
    connections[peer] = nil
    carryOut(machine.handle(.disconnected(peer)))
  }

  /// Drops a disc of the own player.
  func drop(in column: Int) throws(MoveRefusal) {
    carryOut(try machine.drop(in: column))
  }

  /// Tells the other side, and ends the duel if it has not ended yet.
  func leave() {
    carryOut(machine.handle(.leave))
  }

  private func carryOut(_ effects: [DuelMachine.Effect]) {
    for effect in effects {
      switch effect {
      case .send(let message, let peer): connections[peer].map { send(message, over: $0) }
      case .admit(let peer): connections[peer]?.admit()
      case .disconnect(let peer):
        // Ends the frames of the task that serves it, which waits until all has left.
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
      // Whoever reads from this connection gets the same error.
    }
    connection.abort()
  }
}
