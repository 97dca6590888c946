import EventLoop
public import FramedTransport
import PrivateFiles

/// The keys of peers that were met before, in a file: what is trusted at first use, and must stay the same.
///
/// Each line of the file has a key's fingerprint and the peer's name. A peer that shows another key later is refused with
/// `keyChanged`; `TransportError.keyChange` has both fingerprints. ``forget(_:)`` lets the next key in.
///
/// Several programs may use one file. A pin is added to what the file has at that moment.
public final class PinStore: Sendable {
  /// The most bytes of the file, enough for about 4,000 peers.
  static let largestFile = 1024 * 1024

  /// The most bytes of a name.
  public static let longestName = 512

  private let file: PrivateFile?
  private let pins: Locked<[String: KeyFingerprint]>
  /// Held while the file is read and written; `pins` is not, because connections' threads ask for keys meanwhile.
  private let writing = Locked(())

  /// Opens the store that is kept in a file. The file is created with the first pin.
  ///
  /// - Parameter path: The path of the file. Its folder must exist.
  /// - Throws: `unusablePins` if the file is a link or no ordinary file, is larger than 1 MiB, or has other content;
  ///   `notPermitted`, `outOfResources` or `system` if it cannot be read.
  public init(at path: String) throws(TransportError) {
    let file = PrivateFile(path, maximumSize: Self.largestFile)
    self.file = file
    pins = Locked(try Self.read(file))
  }

  /// Creates a store that lasts as long as the program.
  public init() {
    file = nil
    pins = Locked([:])
  }

  /// Returns the key of a peer; `nil` for a peer that was not met before.
  ///
  /// - Parameter name: The peer's name.
  public func key(of name: String) -> KeyFingerprint? { pins.withLock { $0[name] } }

  /// Forgets a peer's key, so that the next key that it shows is pinned.
  ///
  /// - Throws: `unusablePins` or an error of the system if the file cannot be read or written.
  public func forget(_ name: String) throws(TransportError) {
    try change { $0[name] = nil }
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

  static func isValid(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count) && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  // MARK: - The file

  private func change(_ body: (inout [String: KeyFingerprint]) -> Void) throws(TransportError) {
    try writing.withLock { (_) throws(TransportError) in
      // What other programs have added meanwhile.
      var changed = try file.map { (file) throws(TransportError) in try Self.read(file) } ?? pins.withLock { $0 }
      let before = changed
      body(&changed)
      if let file, changed != before { try Self.write(changed, to: file) }
      let result = changed
      pins.withLock { $0 = result }
    }
  }

  private static func read(_ file: PrivateFile) throws(TransportError) -> [String: KeyFingerprint] {
    let content: [UInt8]?
    do throws(PrivateFileError) {
      content = try file.read()
    } catch {
      throw TransportError(error, .unusablePins, "Reading the known keys")
    }
    guard let content else { return [:] }
    guard let pins = parse(content) else {
      throw TransportError(
        .unusablePins, "Reading the known keys in \(file.path) failed: it has other lines; check the file, or name another")
    }
    return pins
  }

  private static func write(_ pins: [String: KeyFingerprint], to file: PrivateFile) throws(TransportError) {
    let text = pins.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)\n" }.joined()
    do throws(PrivateFileError) {
      try file.write(Array(text.utf8))
    } catch {
      throw TransportError(error, .unusablePins, "Writing the known keys")
    }
  }

  /// Reads lines; `nil` if one of them is no pin.
  static func parse(_ bytes: [UInt8]) -> [String: KeyFingerprint]? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    var pins: [String: KeyFingerprint] = [:]
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
      guard let space = line.firstIndex(of: " "), let key = KeyFingerprint(String(line[..<space])) else { return nil }
      let name = String(line[line.index(after: space)...])
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
