public import FramedTransport

/// The keys of clients that a listener lets in without its passcode; see `passcode` with `or:` of `ListenerSecurity`.
public struct KnownKeys: Sendable {
  private let isKnown: @Sendable (KeyFingerprint) -> Bool
  private let keep: @Sendable (KeyFingerprint, @escaping @Sendable () -> Void) -> Void
  /// What must be read again before a connection begins.
  private let updates: @Sendable () -> SettingsUpdate?

  private init(
    _ isKnown: @escaping @Sendable (KeyFingerprint) -> Bool,
    _ keep: @escaping @Sendable (KeyFingerprint, @escaping @Sendable () -> Void) -> Void,
    updates: @escaping @Sendable () -> SettingsUpdate?
  ) {
    self.isKnown = isKnown
    self.keep = keep
    self.updates = updates
  }

  var update: SettingsUpdate? { updates() }

  /// The keys of a store, which gets the key of each client that proves the passcode.
  ///
  /// It is kept under its own text, before the connection is delivered: ``PinStore/forget(key:)`` removes it. A file has room for
  /// about 7,000.
  ///
  /// If another program has changed the file, it is read again before the next connection begins. If it cannot be read, the
  /// listener's log says so, and everybody is asked for the passcode.
  ///
  /// - Parameters:
  ///   - store: The store. Use another one for the keys of listeners that this program connects to.
  ///   - notKept: Called on any thread if a key cannot be kept, because the disk is full, for example. The client is let in all the same,
  ///     and needs the passcode the next time, too.
  public static func known(
    _ store: PinStore, notKept: @escaping @Sendable (KeyFingerprint, TransportError) -> Void = { _, _ in }
  ) -> KnownKeys {
    KnownKeys({ store.lastContains($0) }) { key, done in
      store.keep(key, for: "\(key)") { error in
        if let error { notKept(key, error) }
        done()
      }
    } updates: {
      store.update.map { update in
        SettingsUpdate(thread: update.thread) { log in
          guard let error = update.run(log) else { return nil }
          let text = "\(error.message); until then everybody is asked for the passcode"
          log?.report(.warning, "known keys", text, ["error": "\(error.code)"])
          return nil
        }
      }
    }
  }

  /// The keys for which a closure returns true, for a program that keeps them itself.
  ///
  /// - Parameter isKnown: Called with a key that a client has proved to have, on a thread that serves connections: it must not block.
  public static func known(where isKnown: @escaping @Sendable (KeyFingerprint) -> Bool) -> KnownKeys {
    KnownKeys(isKnown, { _, done in done() }, updates: { nil })
  }

  func contains(_ key: KeyFingerprint?) -> Bool { key.map(isKnown) ?? false }

  /// Keeps the key of a client that has proved the passcode, away from this thread.
  ///
  /// - Parameter done: Called once, on any thread.
  func learn(_ key: KeyFingerprint, _ done: @escaping @Sendable () -> Void) {
    if isKnown(key) { done() } else { keep(key, done) }
  }
}

/// A listener that a client pairs with; see `passcode` with `or:` of `ConnectionSecurity`.
public struct KnownPeer: Sendable {
  let store: PinStore
  let name: String

  /// A listener whose key is kept in a store.
  ///
  /// - Parameters:
  ///   - store: The store. It gets the listener's key when both sides have proved the passcode, before `connect` returns.
  ///   - name: The name that the key belongs to, such as a service's full name; 1–512 bytes, without control characters.
  public static func known(_ store: PinStore, name: String) -> KnownPeer {
    precondition(PinStore.isValid(name), "name must have 1 to \(PinStore.longestName) bytes and no control characters")
    return KnownPeer(store: store, name: name)
  }
}
