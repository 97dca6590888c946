import CNATS
import DirectoryProtocol

/// A connection of the library, which this object owns and frees.
///
/// Its calls may block: connecting for up to two seconds a server, and writing for up to two seconds when a server takes nothing.
///
/// Sendable: it is made on one thread and handed over as a whole. The library locks what is called on several threads: the module's loop,
/// that of the relay, and its own.
final class NATSConnection: @unchecked Sendable {
  private let pointer: OpaquePointer
  private let number: UInt

  /// Connects. The library connects again by itself later, when the connection is lost.
  ///
  /// - Throws: ``NATSFailure`` when the options cannot be used, no server can be reached, or the server refuses.
  init(_ settings: DirectorySettings, _ told: @escaping @Sendable (NATSRegistry.Event) -> Void) throws(NATSFailure) {
    let number = NATSRegistry.insert(NATSRegistry.Listener(event: told))
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
  }

  deinit {
    NATSRegistry.remove(number)
    natsConnection_Destroy(pointer)
  }

  /// What the server or the library said last about a failure; empty for nothing.
  var lastError: String {
    var text: UnsafePointer<CChar>?
    let status = natsConnection_GetLastError(pointer, &text)
    let words = text.map { String(cString: $0) } ?? ""
    return words.isEmpty && status != NATS_OK ? NATSFailure(status).reason : words
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
    natsSubscription_Destroy(pointer)
  }
}
