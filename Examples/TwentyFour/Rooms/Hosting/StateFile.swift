import Foundation

/// The file that keeps the state of a host beyond the process.
///
/// The file is always complete: a new state is written beside it, synced to the disk, and renamed over it. A separate actor,
/// because the disk may be slow.
actor StateFile<Contents: Codable & Sendable> {
  /// The contents of the file.
  struct State: Codable, Sendable {
    var format = stateFormat
    /// The host's port, so that the players find it again.
    let port: UInt16
    let contents: Contents
  }

  private let path: String

  init(_ path: String) {
    self.path = path
  }

  /// The contents of the file; `nil` if the file does not exist.
  ///
  /// - Throws: ``RoomError`` with code `unusableState`.
  func read() throws(RoomError) -> State? {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    } catch {
      throw RoomError(.unusableState, "cannot read the state in \(path): \(Self.reason(of: error))")
    }
    guard let head = try? JSONDecoder().decode(Head.self, from: bytes) else { throw RoomError(damagedState: path) }
    // Files of format 1 have no format field.
    let format = head.format ?? 1
    guard format == stateFormat else {
      throw RoomError(
        .unusableState,
        "the state in \(path) has format \(format), but this program knows only format \(stateFormat); use the version that "
          + "wrote it, or move the file away")
    }
    do {
      return try JSONDecoder().decode(State.self, from: bytes)
    } catch {
      throw RoomError(damagedState: path)
    }
  }

  private struct Head: Decodable {
    let format: Int?
  }

  /// Replaces the file's contents by a state.
  ///
  /// - Throws: ``RoomError`` with code `cannotKeepState`; the file is then unchanged.
  func write(_ contents: Contents, port: UInt16) throws(RoomError) {
    let beside = path + ".new"
    do {
      let bytes = try JSONEncoder().encode(State(port: port, contents: contents))
      try? FileManager.default.removeItem(atPath: beside)
      // The file contains the secrets of the seats.
      guard FileManager.default.createFile(atPath: beside, contents: nil, attributes: [.posixPermissions: 0o600]) else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
      do {
        let file = try FileHandle(forWritingTo: URL(filePath: beside))
        try file.write(contentsOf: bytes)
        try file.synchronize()
        try file.close()
        guard rename(beside, path) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      } catch {
        try? FileManager.default.removeItem(atPath: beside)
        throw error
      }
    } catch {
      throw RoomError(.cannotKeepState, "cannot keep the state in \(path): \(Self.reason(of: error))")
    }
  }

  /// Removes the file: nothing is to be continued.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }

  private static func reason(of error: any Error) -> String {
    let code = (error as? POSIXError ?? (error as? CocoaError)?.underlying as? POSIXError)?.code
    return code.map { String(cString: strerror($0.rawValue)) } ?? error.localizedDescription
  }
}

/// The version of the state file's format.
private let stateFormat = 2
