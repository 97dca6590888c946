import CBonjourishLinux

/// The threads that serve connections, each with its own event loop.
///
/// A connection stays on one loop, which receives and sends its bytes. A task that runs on the connection's
/// ``Connection/executor`` exchanges frames without changing threads. Connections on different loops share nothing.
///
/// The loops belong to the process; all listeners and connections share them. Each starts at its first use and runs until the
/// process ends. An idle loop costs a sleeping thread, about 25 KB of memory and three descriptors; a loop that has been busy
/// keeps up to 2.3 MB of buffers.
public struct TransportLoops: Sendable {
  private enum Choice {
    /// This number of the process's first loops.
    case first(Int)
    case certain([TransportLoop])
  }

  /// The most loops that the process may have.
  package static let mostLoops = 256

  /// The first loop of the process. The default for connections that this side opens.
  public static let one = TransportLoops(1)

  /// One loop for each processor that the process may run on. The default for listeners.
  public static let perCore = TransportLoops(min(Int(linux_processor_count()), mostLoops))

  private let choice: Choice

  /// Chooses the first loops of the process.
  ///
  /// - Parameter count: The number of loops, 1–256.
  public init(_ count: Int) {
    precondition((1...Self.mostLoops).contains(count), "count must be 1 to \(Self.mostLoops)")
    choice = .first(count)
  }

  /// Uses loops of the caller, at least one. They must run as long as they have connections.
  package init(_ loops: [TransportLoop]) {
    precondition(!loops.isEmpty, "loops must not be empty")
    choice = .certain(loops)
  }

  /// The number of loops.
  public var count: Int {
    switch choice {
    case .first(let count): count
    case .certain(let loops): loops.count
    }
  }

  /// The loops, started.
  func started() throws(TransportError) -> [TransportLoop] {
    switch choice {
    case .first(let count): try TransportLoop.first(count)
    case .certain(let loops): loops
    }
  }
}

extension [TransportLoop] {
  /// The loop for the next connection: the first of those with the fewest connections.
  ///
  /// So short connections one after another stay on the first loop, which accepts them; only long ones are distributed.
  var leastLoaded: TransportLoop {
    var (best, fewest) = (self[0], self[0].connectionCount)
    for loop in dropFirst() where loop.connectionCount < fewest { (best, fewest) = (loop, loop.connectionCount) }
    return best
  }
}
