import CLinux
import CNATS

/// The options of a connection, which this object owns and frees. The library copies them when it connects.
final class NATSOptions {
  let pointer: OpaquePointer

  /// - Parameter listener: The number of the connection's listener in the registry.
  init(_ settings: DirectorySettings, listener: UInt) throws(NATSFailure) {
    NATSLibrary.preparation
    var created: OpaquePointer?
    try NATSFailure.check { natsOptions_Create(&created) }
    guard let created else { throw NATSFailure(NATS_NO_MEMORY) }
    pointer = created
    try setServers(settings.servers)
    try setBehaviour(listener)
    try setCredentials(settings.credentials)
    try setSecurity(settings)
  }

  deinit { natsOptions_Destroy(pointer) }

  private func setServers(_ servers: [String]) throws(NATSFailure) {
    let copies = servers.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var strings = copies.map { UnsafePointer($0) }
    try NATSFailure.check { natsOptions_SetServers(pointer, &strings, CInt(strings.count)) }
  }

  /// The time of one attempt to connect to one server, in milliseconds. It is the longest that a call blocks the module's thread.
  private static let timeout: Int64 = 2_000

  private func setBehaviour(_ listener: UInt) throws(NATSFailure) {
    let closure = NATSRegistry.pointer(listener)
    let options = pointer
    // A lost server is found out within 15 s even if it says nothing.
    for set in [
      { natsOptions_SetName(options, "bonjourish") },
      { natsOptions_SetTimeout(options, Self.timeout) },
      { natsOptions_SetWriteDeadline(options, Self.timeout) },
      { natsOptions_SetPingInterval(options, 5_000) },
      { natsOptions_SetMaxPingsOut(options, 2) },
      { natsOptions_SetAllowReconnect(options, true) },
      { natsOptions_SetMaxReconnect(options, -1) },
      // Nothing is written while the server is away: what it would get then is old.
      { natsOptions_SetReconnectBufSize(options, 1) },
      { natsOptions_SetCustomReconnectDelay(options, { _, attempts, _ in NATSOptions.reconnectDelay(attempts) }, nil) },
      // By default the library collects what is written for a millisecond: a relayed round trip took 2 ms.
      { natsOptions_SetSendAsap(options, true) },
      // One thread of the library delivers to all subscriptions.
      { natsOptions_UseGlobalMessageDelivery(options, true) },
      { natsOptions_SetClosedCB(options, { NATSRegistry.tell(.closed, $1) }, closure) },
      { natsOptions_SetDisconnectedCB(options, { NATSRegistry.tell(.disconnected, $1) }, closure) },
      { natsOptions_SetReconnectedCB(options, { NATSRegistry.tell(.connected, $1) }, closure) },
      { natsOptions_SetErrorHandler(options, { NATSRegistry.tell(.failed(NATSFailure($2)), $3) }, closure) },
    ] as [() -> natsStatus] {
      try NATSFailure.check(set)
    }
  }

  private func setCredentials(_ credentials: DirectoryConfiguration.Credentials) throws(NATSFailure) {
    try NATSFailure.check {
      switch credentials.kind {
      case .none: NATS_OK
      case .password(let user, let password): natsOptions_SetUserInfo(pointer, user, password)
      case .token(let token): natsOptions_SetToken(pointer, token)
      case .file(let path): natsOptions_SetUserCredentialsFromFiles(pointer, path, nil)
      case .key(let publicKey, let seedFile): natsOptions_SetNKeyFromSeed(pointer, publicKey, seedFile)
      }
    }
  }

  private func setSecurity(_ settings: DirectorySettings) throws(NATSFailure) {
    guard settings.isSecure else { return }
    try NATSFailure.check { natsOptions_SetSecure(pointer, true) }
    if let authority = settings.authorities {
      try NATSFailure.check { natsOptions_LoadCATrustedCertificates(pointer, authority) }
    }
    if let (certificate, key) = settings.certificate {
      try NATSFailure.check { natsOptions_LoadCertificatesChain(pointer, certificate, key) }
    }
    // The library checks that the certificate has the name in the URL.
  }
}

extension NATSOptions {
  /// The time until all servers are tried again, in milliseconds: from 0.25 s to 8 s, half of it random, so that those who lost one
  /// server together do not come back together.
  static func reconnectDelay(_ attempts: CInt) -> Int64 {
    let longest = min(250 << Int64(min(max(attempts, 0), 5)), 8_000) as Int64
    return longest / 2 + .random(in: 0...(longest / 2))
  }
}
