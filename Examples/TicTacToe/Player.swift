import FramedActors
import FramedTransport
import Glibc

typealias DefaultDistributedActorSystem = PeerActorSystem

/// A game: the cells that were taken, in order. X has taken the first.
struct Board: CustomStringConvertible {
  private static let lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
  private(set) var moves: [Int] = []
  private(set) var cells = (1...9).map(String.init)

  /// Follows the moves that another program tells: it may tell anything.
  init(_ moves: [Int] = []) throws {
    for cell in moves { try play(cell) }
  }

  var winner: String? {
    Self.lines.first { Set($0.map { cells[$0] }).count == 1 }.map { cells[$0[0]] }
  }
  var isOver: Bool { winner != nil || moves.count == 9 }
  var free: [Int] { isOver ? [] : cells.indices.filter { !moves.contains($0) } }

  mutating func play(_ cell: Int) throws {
    guard free.contains(cell) else { throw RemoteError("illegalMove", "That cell is not free") }
    cells[cell] = moves.count.isMultiple(of: 2) ? "X" : "O"
    moves.append(cell)
  }

  var description: String {
    [0, 3, 6].map { " " + cells[$0..<$0 + 3].joined(separator: " | ") }.joined(separator: "\n---+---+---\n")
  }
}

/// Somebody who plays, in this program or in the other one: by what is typed, or else as chance will have it.
distributed actor Player {
  private let lines: AsyncStream<String>?
  private(set) var hasEnded = false

  init(reading lines: AsyncStream<String>?, actorSystem: PeerActorSystem) {
    self.lines = lines
    self.actorSystem = actorSystem
  }

  distributed func choose(after moves: [Int]) async throws -> Int {
    let board = try Board(moves)
    guard let lines else { return board.free.randomElement() ?? 0 }
    say("\(board)\nYour cell:")
    for await line in lines {
      if let number = Int(line), board.free.contains(number - 1) { return number - 1 }
      say("A free cell, please:")
    }
    throw RemoteError("gaveUp", "The other player has given up")
  }

  distributed func end(_ moves: [Int]) throws {
    let board = try Board(moves)
    say("\(board)\n* \(board.winner.map { "\($0) wins" } ?? "A draw")")
    hasEnded = true
  }
}

/// Writes a line at once, also into a pipe.
func say(_ line: String) { Array("\(line)\n".utf8).withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) } }
