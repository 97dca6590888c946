import FramedSecurity
import FramedTransport
import FramedWebSockets
import _BonjourishConsole
import _BonjourishJSONOutput

/// How the server reads what comes.
enum ReadingMode: String, CaseIterable, Sendable {
  /// One frame at a time, as an element of `frames`.
  case frames
  /// All that have come, in place.
  case batches
}

/// `transport-bench serve`
struct Server {
  private let port: UInt16
  private let interface: String?
  private let loops: Int
  private let mode: ReadingMode
  private let handlers: Listener.HandlerThread
  private let isGuarded: Bool
  private let isEncrypted: Bool
  private let isWeb: Bool
  private let diagnostics: Diagnostics
  /// The connections that have sent a hello.
  private let members = Group()

  /// No limits, because the server is measured under any load.
  private static let limits = TransportLimits(frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil)

  init(_ arguments: Arguments, _ diagnostics: Diagnostics) {
    port = UInt16(arguments[Commands.port])
    interface = arguments[Commands.interface]
    loops = arguments[Commands.loops]
    mode = arguments[Commands.mode]
    handlers = arguments[Commands.handlers]
    isGuarded = arguments[Commands.guarded]
    isEncrypted = arguments[Commands.encrypted]
    isWeb = arguments[Commands.web]
    self.diagnostics = diagnostics
  }

  func run() async throws {
    // Without limits, a connection may wait for as long as a measurement takes.
    let listener = try await Listener.bind(
      port: port, interface: interface, limits: isGuarded ? .standard : Self.limits,
      pending: isGuarded ? .standard : .unlimited, security: security(),
      on: TransportLoops(loops))
    Output.standard.line("ready \(listener.port)")
    await listener.serve(on: handlers) { connection in
      do {
        switch mode {
        case .frames: try await serveFrames(of: connection)
        case .batches: try await serveBatches(of: connection)
        }
      } catch let misuse as Session.Misuse {
        diagnostics.warning("\(connection.peer) does not speak the protocol: \(misuse)")
        connection.abort()
      } catch {
        // That a client went is its own affair.
      }
    }
    if isGuarded { Output.standard.line(JSONLine.text(of: listener.metrics)) }
  }

  private func security() throws -> ListenerSecurity {
    if isEncrypted { return .encrypted(try .ephemeral()) }
    return isWeb ? .plaintext(serving: WebSite(messages: .binary)) : .plaintext
  }

  private func serveFrames(of connection: Connection) async throws {
    var session = Session()
    for try await frame in connection.frames {
      switch try session.handle(frame.span) {
      case .nothing: break
      case .echo: try await connection.send(frame)
      case let action: try await perform(action, for: connection)
      }
    }
  }

  private func serveBatches(of connection: Connection) async throws {
    var session = Session()
    // What has to wait for the end of the batch, in order, because it cannot be done without waiting.
    var later: [Session.Action] = []
    var misuse: (any Error)?
    while misuse == nil,
      try await connection.receiveFrames({ frame in
        guard misuse == nil else { return }
        do {
          switch try session.handle(frame) {
          case .nothing: break
          case .echo:
            let isSent = try later.isEmpty && connection.trySend(frame)
            if !isSent { later.append(.answer(frame.indices.map { frame[$0] })) }
          case let action: later.append(action)
          }
        } catch {
          misuse = error
        }
      }) != nil
    {
      for action in later { try await perform(action, for: connection) }
      later.removeAll(keepingCapacity: true)
    }
    if let misuse { throw misuse }
  }

  private func perform(_ action: Session.Action, for connection: Connection) async throws {
    switch action {
    case .nothing: break
    case .echo: preconditionFailure("what is sent back has to be at hand")
    case .answer(let body): try await connection.send(body)
    case .welcome:
      members.add(connection, whenSlow: .wait)
      try await connection.send([Kind.welcome.rawValue])
    case .broadcast(let broadcast):
      let body = [Kind.broadcast.rawValue] + [UInt8](repeating: 0, count: broadcast.size - 1)
      try await members.broadcast(contentsOf: repeatElement(body, count: broadcast.count))
    }
  }
}
