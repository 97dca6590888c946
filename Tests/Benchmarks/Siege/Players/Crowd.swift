import FramedJSON
import FramedSecurity
import FramedTransport
import Rooms
import Synchronization

/// Strangers, each of whom does one thing that costs a host most, goes, and comes again.
final class Crowd: Sendable {
  enum Kind: String {
    /// Knows the passcode, and says hello to a host that is full.
    case knocking
    /// Guesses the passcode.
    case guessing
    /// Completes the handshake, and sends what is no message.
    case babbling
    /// Completes the handshake, and says nothing.
    case silent
    /// A page that says hello to a host that is full.
    case browsing
    /// A page of another site.
    case crossSite = "cross_site"
    /// A page that sends what is no message.
    case scribbling

    /// Those that a host is open to.
    static func all(at host: BesiegedHost) -> [Kind] {
      [.knocking, .babbling, .silent] + (host.code == nil ? [] : [.guessing])
        + (host.page == nil ? [] : [.browsing, .crossSite, .scribbling])
    }
  }

  struct Counts: Encodable {
    /// Whose handshake was completed.
    var connected = 0
    /// Who was refused before.
    var refused = 0
  }

  private static let size = 64

  private let host: BesiegedHost
  private let kinds: [Kind]
  private let report = Mutex<[String: Counts]>([:])

  init(at host: BesiegedHost) {
    self.host = host
    kinds = Kind.all(at: host)
  }

  /// Comes again and again, until the task is cancelled.
  func run() async -> [String: Counts] {
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<Self.size {
        group.addTask {
          while !Task.isCancelled {
            await self.visit(self.kinds[number % self.kinds.count])
          }
        }
      }
    }
    return report.withLock { $0 }
  }

  private func visit(_ kind: Kind) async {
    do {
      let connection: Connection
      switch kind {
      case .knocking: connection = try await host.connect(host.code)
      case .guessing: connection = try await host.connect(.random())
      case .babbling, .silent: connection = try await host.connect(nil)
      case .browsing, .scribbling: connection = try await host.connectAsPage()
      case .crossSite: connection = try await host.connectAsPage(from: "http://example.com")
      }
      report.withLock { $0[kind.rawValue, default: Counts()].connected += 1 }
      switch kind {
      case .knocking, .browsing: await sayHello(connection)
      case .guessing, .crossSite: break
      case .babbling, .scribbling: _ = try? connection.trySend(Array("no message".utf8))
      case .silent: try? await Task.sleep(for: .seconds(1))
      }
      await connection.close()
    } catch {
      report.withLock { $0[kind.rawValue, default: Counts()].refused += 1 }
      // Refused at once, it would come some ten thousand times a second.
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  private func sayHello(_ connection: Connection) async {
    guard (try? connection.trySend(try RoomMessage.codec.encode(.hello(.init(name: "Stranger"))))) == true else { return }
    var frames = connection.frames.makeAsyncIterator()
    _ = try? await frames.next()
  }
}
