import FramedJSON
import FramedSecurity
import FramedTransport
import Rooms
import Testing
import TwentyFour

/// Someone who plays over a connection of their own, message by message.
final class Guest {
  private let peer: RoomConnection
  private var messages: Messages<JSONCodec<RoomMessage>>.Iterator
  private(set) var welcome: RoomMessage.Welcome?

  /// Connects, encrypted, and says hello.
  ///
  /// - Parameter former: The welcome of the seat to come back to.
  init(_ name: String, at port: UInt16, backTo former: RoomMessage.Welcome? = nil, players: ClosedRange<Int>? = nil)
    async throws
  {
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
    let connection = try await Connection.connect(
      to: [address], format: RoomMessage.format, limits: RoomMessage.playerLimits, security: .anyKey())
    let details = try #require(connection.securityDetails)
    let binding = details.channelBinding(for: "_twentyfour._tcp")
    peer = RoomConnection(connection, codec: RoomMessage.codec)
    messages = peer.messages.makeAsyncIterator()
    try await send(.hello(.init(name: name, seat: former?.seatProof(over: binding), players: players)))
  }

  func send(_ message: RoomMessage) async throws {
    try await peer.send(message)
  }

  /// Waits for what a closure finds in a message.
  func first<Result>(_ find: (RoomMessage) -> Result?) async throws -> Result? {
    while let message = try await messages.next() {
      if case .welcome(let welcome) = message { self.welcome = welcome }
      if let result = find(message) { return result }
    }
    return nil
  }

  func untilWelcome() async throws -> RoomMessage.Welcome? {
    try await first { if case .welcome(let welcome) = $0 { welcome } else { nil } }
  }

  /// Why the server closed the connection.
  func ending() async throws -> RoomReason.Code? {
    try await first { if case .event(.closed(let reason)) = $0 { reason.code } else { nil } }
  }

  /// Waits for a round and solves it.
  func solve() async throws {
    let deal = try #require(try await first { if case .event(.round(let deal)) = $0 { deal } else { nil } })
    let solution = try #require(Solver.firstSolution(of: deal.hand))
    try await send(.act(round: deal.number, .answer(solution.description)))
  }

  /// Waits until a round is over.
  func untilRoundEnds() async throws -> Match.RoundResult? {
    try await first { if case .event(.roundEnded(let result)) = $0 { result } else { nil } }
  }

  func disconnect() {
    peer.connection.abort()
  }
}
