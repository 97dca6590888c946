import CBonjourishLinux
import CBonjourishNATS
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// A connection of the library, which this object owns and frees.
///
/// Its calls may block: connecting for up to two seconds a server, and writing for up to two seconds when a server takes nothing.
///
/// Sendable: it is made on one thread and handed over as a whole. The library locks what is called on several threads: the module's loop,
/// that of the relay, and its own.
final class NATSConnection: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let number: UInt
  private let inbound: InboundGuard
  private let cuts: Cuts

  /// What the guard knows of the connection, and the other way round.
  private final class Cuts: Sendable {
    struct State {
      weak var connection: NATSConnection?
      /// Why this side has ended the connection; nil if it has not.
      var reason: String?
    }

    let state = Locked(State())

    var connection: NATSConnection? { state.withLock { $0.connection } }
  }

  /// Connects. The library connects again by itself later, when the connection is lost.
  ///
  /// - Throws: ``NATSFailure`` when the options cannot be used, no server can be reached, or the server refuses.
  init(_ settings: DirectorySettings, _ handler: @escaping @Sendable (NATSRegistry.Event) -> Void) throws(NATSFailure) {
    let cuts = Cuts()
    self.cuts = cuts
    let number = NATSRegistry.insert(
      NATSRegistry.Listener { event in
        if case .connected = event { cuts.connection?.guardInbound() }
        handler(event)
      })
    do throws(SystemError) {
      inbound = try InboundGuard(
        InboundGuard.Handlers(
          counts: { cuts.connection?.inboundCounts },
          exceeding: { limit in
            let reason = "its server sent more than \(limit) bytes without a whole message, and the connection was ended"
            cuts.state.withLock { $0.reason = reason }
          },
          exceeded: { cuts.connection?.close() }))
    } catch {
      NATSRegistry.remove(number)
      throw NATSFailure(NATS_SYS_ERROR, "starting a thread: \(error.reason)")
    }
    do throws(NATSFailure) {
      var made: OpaquePointer?
      let options = try NATSOptions(settings, listener: number)
      // Not its option to go on trying: it does not tell then why the first attempt has failed, such as by a wrong password.
      try NATSFailure.check { natsConnection_Connect(&made, options.pointer) }
      guard let made else { throw NATSFailure(NATS_NO_MEMORY) }
      pointer = made
    } catch {
      NATSRegistry.remove(number)
      throw error
    }
    self.number = number
    cuts.state.withLock { $0.connection = self }
    guardInbound()
  }

  deinit {
    NATSRegistry.remove(number)
    inbound.end()
    natsConnection_Destroy(pointer)
  }

  /// Why this side has ended the connection, because its server sent too much; nil if it has not.
  var cut: String? { cuts.state.withLock { $0.reason } }

  /// Ends the connection for good. Its listener is told.
  private func close() { natsConnection_Close(pointer) }

  /// Bounds what the server of now may send. Called after each connecting.
  private func guardInbound() {
    var address: UnsafeMutablePointer<CChar>?
    var port: CInt = 0
    // Otherwise the connection is lost already, and is guarded when it is back.
    guard natsConnection_GetLocalIPAndPort(pointer, &address, &port) == NATS_OK, let address else { return inbound.begin(nil) }
    defer { free(address) }
    inbound.begin(InboundGuard.duplicate(ofSocketAt: String(cString: address), port: Int(port)))
  }

  /// The whole messages so far, and the most bytes of one.
  private var inboundCounts: (messages: UInt64, maximumPayload: Int)? {
    var made: OpaquePointer?
    guard natsStatistics_Create(&made) == NATS_OK, let made else { return nil }
    defer { natsStatistics_Destroy(made) }
    var messages: UInt64 = 0
    guard natsConnection_GetStats(pointer, made) == NATS_OK,
      natsStatistics_GetCounts(made, &messages, nil, nil, nil, nil) == NATS_OK
    else { return nil }
    return (messages, maximumPayload)
  }

  /// What has failed last; nil for nothing.
  var lastFailure: NATSFailure? {
    var text: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(pointer, &text)
    return status == NATS_OK ? nil : NATSFailure(status, text.map { String(cString: $0) } ?? "")
  }

  /// The most bytes of a message that the server takes, headers included.
  var maximumPayload: Int { Int(clamping: natsConnection_GetMaxPayload(pointer)) }

  /// Writes a message to the library's buffer, which another thread of it sends.
  ///
  /// - Throws: ``NATSFailure`` when the connection is lost, or the server takes nothing.
  func publish(
    _ data: [UInt8], to subject: String, replyTo reply: String? = nil, headers: [(name: String, value: String)] = []
  ) throws(NATSFailure) {
    var made: OpaquePointer?
    try NATSFailure.check {
      data.withUnsafeBytes { bytes in
        natsMsg_Create(&made, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), CInt(bytes.count))
      }
    }
    guard let made else { throw NATSFailure(NATS_NO_MEMORY) }
    defer { natsMsg_Destroy(made) }
    for (name, value) in headers { try NATSFailure.check { natsMsgHeader_Set(made, name, value) } }
    try NATSFailure.check { natsConnection_PublishMsg(pointer, made) }
  }

  /// Writes a message of a relayed connection. One that cannot be written is lost, as on the way.
  ///
  /// - Parameter reply: Where the server tells that nobody listens.
  func publishRelayed(_ data: [UInt8], to subject: String, replyTo reply: String?) {
    _ = data.withUnsafeBytes { bytes in
      if let reply {
        natsConnection_PublishRequest(pointer, subject, reply, bytes.baseAddress, CInt(bytes.count))
      } else {
        natsConnection_Publish(pointer, subject, bytes.baseAddress, CInt(bytes.count))
      }
    }
  }

  /// Subscribes until the subscription is released.
  ///
  /// - Parameter received: Called on a thread of the library, with one message after the other.
  func subscribe(
    _ subject: String, _ received: @escaping @Sendable (NATSMessage) -> Void
  ) throws(NATSFailure) -> NATSSubscription {
    try NATSSubscription(pointer, subject, received)
  }

  /// Waits until the server has got everything, at most for a time that blocks the module's thread.
  func flush(milliseconds: Int64) { natsConnection_FlushTimeout(pointer, milliseconds) }
}

/// A subscription of the library, which this object owns and frees.
///
/// Sendable: nothing changes before it is freed, and the library locks what it frees.
final class NATSSubscription: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let number: UInt

  fileprivate init(
    _ connection: OpaquePointer, _ subject: String, _ received: @escaping @Sendable (NATSMessage) -> Void
  ) throws(NATSFailure) {
    let number = NATSRegistry.insert(NATSRegistry.Listener(message: received))
    var made: OpaquePointer?
    do throws(NATSFailure) {
      try NATSFailure.check {
        natsConnection_Subscribe(
          &made, connection, subject, { NATSRegistry.receive($2, $3) }, NATSRegistry.pointer(number))
      }
    } catch {
      NATSRegistry.remove(number)
      throw error
    }
    guard let made else {
      NATSRegistry.remove(number)
      throw NATSFailure(NATS_NO_MEMORY)
    }
    pointer = made
    self.number = number
  }

  deinit {
    NATSRegistry.remove(number)
    RetiredSubscriptions.end(pointer)
  }
}
