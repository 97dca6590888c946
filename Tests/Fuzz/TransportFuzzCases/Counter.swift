import FramedActors
import FramedTransport

typealias DefaultDistributedActorSystem = PeerActorSystem

/// The actor that calls of strangers are for.
distributed actor Counter {
  private var count = 0

  distributed func add(_ number: Int8?, to name: String?) throws -> [Int?] {
    guard number != 7 else { throw RemoteError("full", "No more than seven") }
    count += Int(number ?? 0)
    return [count, nil, name?.utf8.count]
  }

  distributed func tree(_ tree: Tree, of choice: Tree.Choice) -> Tree { Tree(choice: choice, branches: [tree]) }

  /// References go there and back: to this actor, and to those of the peer.
  distributed func turn(_ other: Counter?) -> Counter? { other ?? self }

  distributed func letGo() { count = 0 }
}

struct Tree: Codable, Sendable {
  enum Choice: Codable, Sendable {
    case name(String)
    case number(Double)
    case flags([String: Bool])
  }

  var choice: Choice?
  var branches: [Tree] = []
}
