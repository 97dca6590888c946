public import FramedTransport
import _BonjourishEventLoop
import _BonjourishPrivateFiles

/// The keys of peers that were met before, in a file: what is trusted at first use, and must stay the same.
///
/// Each line of the file has a key's fingerprint and the peer's name. A peer that shows another key later is refused with
/// `keyChanged`; `TransportError.keyChange` has both fingerprints. ``replace(_:with:for:)`` lets that key in, ``forget(_:)`` the next one.
///
/// Several programs may use one file: a change is made to what the file has at that moment, while the others wait for it, and each reads the file
/// again when it has changed. A change waits at most five seconds for others, and reads and writes the file at once; the other calls may
/// read it: do not call any of them on a connection's thread. Connections do not, and read a file that has changed elsewhere.
public final class PinStore: Sendable {
  /// The most bytes of the file, enough for about 4,000 peers.
  static let largestFile = 1024 * 1024

  /// The most bytes of a name.
  public static let longestName = 512

  /// What is known of the file.
  private struct Content {
    var pins: [String: KeyFingerprint]
    /// The file's stamp before it was read; `nil` if there was no file.
    var stamp: FileStamp?
    /// Whether the file must be read again, whatever its stamp is.
    var isDue = false
    /// Whether it could not be read again.
    var isUnusable = false
  }

  private let file: PrivateFile?
  private let content: Locked<Content>
  /// Held while the file is changed; `content` is not, because connections' threads ask for keys meanwhile.
  private let writing = Locked(())
  /// Held while the file is read again, so that what was read before takes no place of what was read later.
  private let reading = Locked(())
  /// Where the file is read for connections, which does not wait for its lock.
  private let readings = WorkThread()
  /// Where the file is changed for connections.
  private let changes = WorkThread()

  /// Opens the store of a file. The file is created with the first pin.
  ///
  /// - Parameter path: The path of the file. Its folder must exist.
  /// - Throws: `unusablePins` if the file is a link or no ordinary file, is larger than 1 MiB, or has other content;
  ///   `notPermitted`, `outOfResources` or `system` if it cannot be read.
  public init(at path: String) throws(TransportError) {
    let file = PrivateFile(path, maximumSize: Self.largestFile)
    self.file = file
    content = Locked(try Self.readContent(file))
  }

  /// Creates a store that lasts as long as the program.
  public init() {
    file = nil
    content = Locked(Content(pins: [:]))
  }

  /// Returns the key of a peer; `nil` for a peer that was not met before.
  ///
  /// If the file has changed and cannot be read, it is the key that was known before.
  ///
  /// - Parameter name: The peer's name.
  public func key(of name: String) -> KeyFingerprint? {
    _ = reload()
    return lastKey(of: name)
  }

  /// Whether a key is that of any peer; false if the file has changed and cannot be read.
  public func contains(_ key: KeyFingerprint) -> Bool {
    _ = reload()
    return lastContains(key)
  }

  /// The names and keys of all peers, for a program that shows them to its user.
  ///
  /// ```swift
  /// for (name, key) in try hosts.keys().sorted(by: { $0.key < $1.key }) { print(key, name) }
  /// ```
  /// In the store of a listener's clients (``KnownKeys``), each name is the text of the key.
  ///
  /// - Throws: `unusablePins` or an error of the system if the file has changed and cannot be read.
  public func keys() throws(TransportError) -> [String: KeyFingerprint] {
    if let error = reload() { throw error }
    return content.withLock { $0.pins }
  }

  /// The key of a peer when the file was read last: for a connection, which has had it read before if that was necessary.
  func lastKey(of name: String) -> KeyFingerprint? { content.withLock { $0.pins[name] } }

  /// Whether a key was that of any peer when the file was read last. Nobody is known if it could not be read.
  func lastContains(_ key: KeyFingerprint) -> Bool {
    content.withLock { !$0.isUnusable && $0.pins.values.contains(key) }
  }

  /// Forgets a peer's key, so that the next key that it shows is pinned.
  ///
  /// - Throws: `unusablePins` or an error of the system if the file cannot be read or written.
  public func forget(_ name: String) throws(TransportError) {
    try change { $0[name] = nil }
  }

  /// Forgets whoever has a key: a listener with `KnownKeys` lets them in with the passcode only, also one of another program that uses the same
  /// file, from the next connection on. Connections that are open stay open.
  ///
  /// - Throws: `unusablePins` or an error of the system if the file cannot be read or written.
  public func forget(key: KeyFingerprint) throws(TransportError) {
    try change { pins in pins = pins.filter { $0.value != key } }
  }

  /// Pins a peer's key, unless another is pinned.
  ///
  /// - Parameters:
  ///   - key: The key that the peer has proved to have.
  ///   - name: The peer's name, such as a service's full name; 1–512 bytes, without control characters.
  /// - Throws: `keyChanged` if another key is pinned; `unusablePins` or an error of the system if the file cannot be read or
  ///   written.
  public func pin(_ key: KeyFingerprint, for name: String) throws(TransportError) {
    precondition(Self.isValid(name), "name must have 1 to \(Self.longestName) bytes and no control characters")
    if self.key(of: name) == key { return }
    var known: KeyFingerprint?
    try change { pins in
      known = pins[name]
      if known == nil { pins[name] = key }
    }
    if let known, known != key { throw .keyChanged(KeyChange(name: name, known: known, presented: key)) }
  }

  /// Pins the new key of a peer whose key has changed: this one, and not whichever the peer shows next.
  ///
  /// - Parameters:
  ///   - known: The key that is pinned, as in `TransportError.keyChange`.
  ///   - new: The key to pin in its place.
  ///   - name: The peer's name.
  /// - Throws: `keyChanged` if a third key is pinned; `unusablePins` or an error of the system if the file cannot be read or
  ///   written.
  public func replace(_ known: KeyFingerprint, with new: KeyFingerprint, for name: String) throws(TransportError) {
    var former: KeyFingerprint?
    try change { pins in
      former = pins[name]
      if former == known { pins[name] = new }
    }
    guard former != known, former != new else { return }
    guard let former else { return try pin(new, for: name) }
    throw .keyChanged(KeyChange(name: name, known: former, presented: new))
  }

  static func isValid(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  // MARK: - The file

  private func change(_ body: (inout [String: KeyFingerprint]) -> Void) throws(TransportError) {
    try writing.withLock { (_) throws(TransportError) in
      var changed = content.withLock { $0.pins }
      if let file {
        let failure = { (error: PrivateFileError) in TransportError(error, .unusablePins, "Writing the known keys") }
        try file.update(failure) { (content) throws(TransportError) in
          // With what other programs have added.
          let former = try content.map { (content) throws(TransportError) in try Self.read(content, of: file) } ?? [:]
          changed = former
          body(&changed)
          return changed == former ? nil : Self.text(of: changed)
        }
      } else {
        body(&changed)
      }
      let result = Content(pins: changed, isDue: file != nil)
      reading.withLock { _ in content.withLock { $0 = result } }
    }
  }

  /// Reads the file again if it has changed; returns an error if it cannot be read.
  private func reload() -> TransportError? {
    guard let file, !isCurrent else { return nil }
    return reading.withLock { (_) -> TransportError? in
      do throws(TransportError) {
        let new = try Self.readContent(file)
        content.withLock { $0 = new }
        return nil
      } catch {
        content.withLock { $0.isUnusable = true }
        return error
      }
    }
  }

  private var isCurrent: Bool {
    guard let file else { return true }
    let stamp = file.stamp
    return content.withLock { !$0.isDue && !$0.isUnusable && $0.stamp == stamp }
  }

  /// Pins the key of a connection's peer, away from this thread if the file must be written.
  ///
  /// - Parameter done: Called once, on any thread, with the error of ``pin(_:for:)``.
  func keep(_ key: KeyFingerprint, for name: String, _ done: @escaping @Sendable (TransportError?) -> Void) {
    if isCurrent, lastKey(of: name) == key { return done(nil) }
    changes.run {
      do throws(TransportError) {
        try self.pin(key, for: name)
        done(nil)
      } catch {
        done(error)
      }
    }
  }

  /// What must be done before a connection asks for a key; `nil` for nothing.
  var update: SettingsUpdate? { isCurrent ? nil : SettingsUpdate(thread: readings) { _ in self.reload() } }

  private static func readContent(_ file: PrivateFile) throws(TransportError) -> Content {
    // Before the file is read, so that what is written meanwhile is noticed.
    let stamp = file.stamp
    let isDue = stamp.map { !$0.isSettled } ?? false
    return Content(pins: try read(file), stamp: stamp, isDue: isDue)
  }

  private static func read(_ file: PrivateFile) throws(TransportError) -> [String: KeyFingerprint] {
    let content: [UInt8]?
    do throws(PrivateFileError) {
      content = try file.read()
    } catch {
      throw TransportError(error, .unusablePins, "Reading the known keys")
    }
    return try content.map { (content) throws(TransportError) in try read(content, of: file) } ?? [:]
  }

  private static func read(_ content: [UInt8], of file: PrivateFile) throws(TransportError) -> [String: KeyFingerprint] {
    guard let pins = parse(content) else {
      throw TransportError(
        .unusablePins, "Reading the known keys in \(file.path) failed: it has other lines; check the file, or name another")
    }
    return pins
  }

  private static func text(of pins: [String: KeyFingerprint]) -> [UInt8] {
    Array(pins.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }.joined().utf8)
  }

  /// Reads lines; `nil` if one of them is no pin.
  static func parse(_ bytes: [UInt8]) -> [String: KeyFingerprint]? {
    var pins: [String: KeyFingerprint] = [:]
    // By bytes: a name may begin with a mark that is one character with the blank before it.
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let space = line.firstIndex(of: UInt8(ascii: " ")),
        let key = String(validating: line[..<space], as: UTF8.self).flatMap({ KeyFingerprint($0) }),
        let name = String(validating: line[(space + 1)...], as: UTF8.self)
      else { return nil }
      guard isValid(name), pins.updateValue(key, forKey: name) == nil else { return nil }
    }
    return pins
  }
}

/// A peer's key that is not the one it had before.
public struct KeyChange: Hashable, Sendable {
  /// The peer's name in the ``PinStore``.
  public let name: String
  /// The key that is pinned.
  public let known: KeyFingerprint
  /// The key that the peer has now.
  public let presented: KeyFingerprint
}
