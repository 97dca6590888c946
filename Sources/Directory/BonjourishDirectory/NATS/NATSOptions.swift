import CBonjourishLinux
import CBonjourishNATS
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

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
    do throws(NATSFailure) {
      try setCredentials(settings.credentials)
      try setSecurity(settings)
    } catch {
      throw error.ofConfiguration
    }
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
      {
        natsOptions_SetCustomReconnectDelay(
          options,
          { _, attempts, _ in
            var random = SystemRandomNumberGenerator()
            let delay = ConnectionAttempts.delay(after: Int(attempts), using: &random)
            return Int64(delay / .milliseconds(1))
          }, nil)
      },
      // By default the library collects what is written for a millisecond: a relayed round trip took 2 ms.
      { natsOptions_SetSendAsap(options, true) },
      // One thread of the library delivers to all subscriptions.
      { natsOptions_UseGlobalMessageDelivery(options, true) },
      { natsOptions_SetClosedCB(options, { NATSRegistry.tell(.closed, $1) }, closure) },
      { natsOptions_SetDisconnectedCB(options, { NATSRegistry.tell(.disconnected, $1) }, closure) },
      { natsOptions_SetReconnectedCB(options, { NATSRegistry.tell(.connected, $1) }, closure) },
      { natsOptions_SetErrorHandler(options, { NATSRegistry.tell(.failed(NATSFailure($2, ofConnection: $0)), $3) }, closure) },
    ] as [() -> natsStatus] {
      try NATSFailure.check(set)
    }
  }

  private func setCredentials(_ credentials: DirectoryConfiguration.Credentials) throws(NATSFailure) {
    switch credentials.kind {
    case .none: return
    case .password(let user, let password): try NATSFailure.check { natsOptions_SetUserInfo(pointer, user, password) }
    case .token(let token): try NATSFailure.check { natsOptions_SetToken(pointer, token) }
    case .file(let path):
      try Self.check(path)
      try NATSFailure.check { natsOptions_SetUserCredentialsFromFiles(pointer, path, nil) }
    case .key(let publicKey, let seedFile):
      let contents = try Self.read(seedFile)
      let key = if let publicKey { publicKey } else { try Self.publicKey(ofSeedIn: contents, of: seedFile) }
      try NATSFailure.check { natsOptions_SetNKeyFromSeed(pointer, key, seedFile) }
    }
  }

  private static func publicKey(ofSeedIn contents: [UInt8], of path: String) throws(NATSFailure) -> String {
    guard let seed = NKeySeed(file: contents) else {
      throw .configuration("\(path) has no seed of a user's NKEY: 58 letters and digits that begin with SU")
    }
    return try NATSLibrary.publicKey(of: seed)
  }

  /// Checks that a file can be read. The library reads it while it connects, and tells of it as of a server, or with no reason.
  private static func check(_ path: String) throws(NATSFailure) {
    try failing(path) { () throws(SystemError) in _ = try systemCall("access") { access(path, R_OK) } }
  }

  /// Reads the beginning of a file, 4 KiB.
  private static func read(_ path: String) throws(NATSFailure) -> [UInt8] {
    try failing(path) { () throws(SystemError) in try readFile(path, upTo: 4_096) }
  }

  private static func failing<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
  ) throws(NATSFailure) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .configuration("cannot read \(path): \(error.reason)", because: error)
    }
  }

  private func setSecurity(_ settings: DirectorySettings) throws(NATSFailure) {
    guard settings.isSecure else { return }
    try NATSFailure.check { natsOptions_SetSecure(pointer, true) }
    if let authority = settings.authorities {
      try Self.check(authority)
      try NATSFailure.check { natsOptions_LoadCATrustedCertificates(pointer, authority) }
    }
    if let (certificate, key) = settings.certificate {
      for path in [certificate, key] { try Self.check(path) }
      try NATSFailure.check { natsOptions_LoadCertificatesChain(pointer, certificate, key) }
    }
    // The library checks that the certificate has the name in the URL.
  }
}
