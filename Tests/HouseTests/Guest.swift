import FramedTransport
import Framing
import Rooms
import Testing
import TwentyFour

/// Someone who plays over a connection of his own, message by message.
final class Guest {
  private let connection: Connection
  private var frames: Frames.AsyncIterator
  private(set) var welcome: RoomMessage.Welcome?

  /// Connects and says hello.
  init(_ name: String, at port: UInt16, token: String? = nil, players: ClosedRange<Int>? = nil) async throws {
    let address = try #require(SocketAddress(numericHost: "127.0.0.1", port: port))
    connection = try await Connection.connect(
      to: [address], format: FrameFormat(maximumBodySize: RoomMessage.maximumByteCount))
    frames = connection.frames.makeAsyncIterator()
    try await send(.hello(.init(name: name, token: token, players: players)))
  }

  func send(_ message: RoomMessage) async throws {
    try await connection.send(message.encoded())
  }

  /// Waits for what a closure finds in a message.
  func first<Result>(_ find: (RoomMessage) -> Result?) async throws -> Result? {
    while let frame = try await frames.next() {
      let message = try RoomMessage(decoding: frame)
      if case .ping = message { try await send(.pong) }
      if case .welcome(let welcome) = message { self.welcome = welcome }
      if let result = find(message) { return result }
    }
    return nil
  }

  func untilWelcome() async throws -> RoomMessage.Welcome? {
    try await first { if case .welcome(let welcome) = $0 { welcome } else { nil } }
  }

  /// Why the house closed the connection.
  func ending() async throws -> RoomReason.Code? {
    try await first {
      switch $0 {
      case .refused(let reason), .closed(let reason): reason.code
      default: nil
      }
    }
  }

  /// Waits for a round and solves it.
  func solve() async throws {
    let deal = try #require(try await first { if case .round(let deal) = $0 { deal } else { nil } })
    let solution = try #require(Solver.firstSolution(of: deal.hand))
    try await send(.answer(round: deal.number, expression: solution.description))
  }

  /// Waits until a round is over.
  func untilRoundEnds() async throws -> Match.RoundResult? {
    try await first { if case .roundEnded(let result) = $0 { result } else { nil } }
  }

  func disconnect() {
    connection.abort()
  }
}
