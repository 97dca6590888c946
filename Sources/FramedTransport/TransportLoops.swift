import CLinux

/// The threads that connections live on, of which each runs an event loop of its own.
///
/// A connection lives on one loop from its beginning to its end: its bytes are received and sent there, and a task that runs on
/// its ``Connection/executor`` exchanges frames without changing threads. Connections on different loops share nothing.
///
/// The loops are those of the process: all who ask for as many share them, and each is started when it is first needed and runs
/// until the process ends. An idle one costs a thread that sleeps, about 25 KB of memory and two descriptors; one that
/// has been busy keeps up to 2.3 MB of buffers.
public struct TransportLoops: Sendable {
  private enum Choice {
    /// So many of the process's loops.
    case first(Int)
    case certain([TransportLoop])
  }

  /// How many loops the process may have.
  public static let mostLoops = 256

  /// The first of the process's loops, on which connections are made unless told otherwise.
  public static let one = TransportLoops(1)

  /// As many as there are processors that the process may run on, over which listeners spread connections unless told otherwise.
  public static let perCore = TransportLoops(min(Int(linux_processor_count()), mostLoops))

  private let choice: Choice

  /// The first loops of the process.
  ///
  /// - Parameter count: How many: 1 to ``mostLoops``.
  public init(_ count: Int) {
    precondition((1...Self.mostLoops).contains(count), "A process has 1 to \(Self.mostLoops) loops for connections")
    choice = .first(count)
  }

  /// Loops of the caller's, at least one, which run as long as there are connections on them.
  package init(_ loops: [TransportLoop]) {
    precondition(!loops.isEmpty, "Connections need a loop to live on")
    choice = .certain(loops)
  }

  /// How many loops these are.
  public var count: Int {
    switch choice {
    case .first(let count): count
    case .certain(let loops): loops.count
    }
  }

  /// The loops, which run.
  func started() throws(TransportError) -> [TransportLoop] {
    switch choice {
    case .first(let count): try TransportLoop.first(count)
    case .certain(let loops): loops
    }
  }
}

extension [TransportLoop] {
  /// The loop for one more connection: that with the fewest, and of several the one that stands first.
  ///
  /// So the first, which accepts, keeps what comes and goes one after another, and only what lasts is spread.
  var leastLoaded: TransportLoop {
    var (best, fewest) = (self[0], self[0].connectionCount)
    for loop in dropFirst() where loop.connectionCount < fewest { (best, fewest) = (loop, loop.connectionCount) }
    return best
  }
}
