import FramedTransport
import _BonjourishEventLoop
import _BonjourishPrivateFiles

/// TLS of a server whose certificates and key are in two files, which are read again when they have changed.
///
/// It looks at the files when a connection begins, and reads them on a thread of its own. While what they have cannot be used, the former
/// certificates are. Connections that are open keep theirs.
final class CertificateLayer: StreamLayer, TLSSettings {
  private struct State {
    var layer: TLSLayer
    /// The stamps of both files before they were read.
    var stamps: [FileStamp?]
    /// Whether they must be read again, whatever their stamps are.
    var isDue: Bool
  }

  private let certificateFile: String
  private let privateKeyFile: String
  private let state: Locked<State>
  private let thread = WorkThread()

  /// Reads the files.
  init(certificateFile: String, privateKeyFile: String) throws(TransportError) {
    self.certificateFile = certificateFile
    self.privateKeyFile = privateKeyFile
    // Before the files are read: what is written meanwhile is then noticed.
    let stamps = Self.stamps(of: certificateFile, privateKeyFile)
    let isDue = !Self.areSettled(stamps)
    state = Locked(State(layer: try Self.read(certificateFile, privateKeyFile), stamps: stamps, isDue: isDue))
  }

  private static func read(_ certificateFile: String, _ privateKeyFile: String) throws(TransportError) -> TLSLayer {
    let identity = try Identity(certificateFile: certificateFile, privateKeyFile: privateKeyFile)
    let layer = TLSLayer(.server, .none, .anyKey, identity: identity)
    // What the library does not take is an error of the files, and not of each connection.
    _ = try layer.context.get()
    return layer
  }

  private static func stamps(of files: String...) -> [FileStamp?] {
    files.map { FileStamp(of: $0, followingLinks: true) }
  }

  private static func areSettled(_ stamps: [FileStamp?]) -> Bool { stamps.allSatisfy { $0?.isSettled ?? true } }

  // MARK: - Settings

  var present: TLSLayer { state.withLock { $0.layer } }

  var update: SettingsUpdate? {
    let stamps = Self.stamps(of: certificateFile, privateKeyFile)
    guard state.withLock({ $0.isDue || $0.stamps != stamps }) else { return nil }
    return SettingsUpdate(thread: thread) { log in
      self.reload(log)
      return nil
    }
  }

  private func reload(_ log: TransportLog?) {
    let stamps = Self.stamps(of: certificateFile, privateKeyFile)
    let (isDue, hasChanged) = state.withLock { ($0.isDue, $0.stamps != stamps) }
    guard isDue || hasChanged else { return }
    let isDueAgain = !Self.areSettled(stamps)
    do throws(TransportError) {
      let layer = try Self.read(certificateFile, privateKeyFile)
      state.withLock { $0 = State(layer: layer, stamps: stamps, isDue: isDueAgain) }
      guard hasChanged else { return }
      let text = "new connections get the certificates that \(certificateFile) has now"
      log?.report(.info, "certificates", text, ["file": certificateFile])
    } catch {
      state.withLock { state in
        state.stamps = stamps
        state.isDue = isDueAgain
      }
      guard hasChanged else { return }
      log?.report(
        .warning, "unusable certificates", "\(error.message). New connections get the certificates that were read before",
        ["file": certificateFile, "error": "\(error.code)"])
    }
  }

  // MARK: - Streams

  func wrap(
    _ stream: any ByteStream, peer: SocketAddress, terms: StreamTerms, on transportLoop: TransportLoop
  ) -> any LayeredStream {
    TLSStream(over: stream, self, peer: peer, log: terms.log, on: transportLoop)
  }

  func countedCode(for code: TransportError.Code) -> TransportError.Code? { present.countedCode(for: code) }
}
