import Foundation
import _BonjourishPrivateFiles

/// The file that keeps the state of a host beyond the process.
///
/// The file is always complete, and only its owner may read it, because it contains the secrets of the seats. A separate actor,
/// because the disk may be slow.
actor StateFile<Contents: Codable & Sendable> {
  /// The contents of the file.
  struct State: Codable, Sendable {
    var format = stateFormat
    /// The host's port, so that the players find it again.
    let port: UInt16
    /// The port of the page for phones, for the same reason; nil if there is none.
    var webPort: UInt16?
    /// Who has published the host in a directory, so that the next process replaces that record; nil if that is unknown.
    var publisher: UInt64?
    /// What lets the same people in.
    let admission: HostAdmission.Kept?
    let contents: Contents
  }

  private let file: PrivateFile
  private var path: String { file.path }

  init(_ path: String) {
    file = PrivateFile(path, maximumSize: maximumStateSize)
  }

  /// The contents of the file; `nil` if the file does not exist.
  ///
  /// - Throws: ``RoomError`` with code `unusableState`.
  func read() throws(RoomError) -> State? {
    let bytes: Data
    do throws(PrivateFileError) {
      guard let contents = try file.read() else { return nil }
      bytes = Data(contents)
    } catch {
      throw RoomError(.unusableState, "cannot use the state: \(error.message)")
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
  func write(
    _ contents: Contents, port: UInt16, webPort: UInt16? = nil, publisher: UInt64? = nil, admission: HostAdmission.Kept?
  ) throws(RoomError) {
    let state = State(port: port, webPort: webPort, publisher: publisher, admission: admission, contents: contents)
    let bytes: [UInt8]
    do {
      bytes = Array(try JSONEncoder().encode(state))
    } catch {
      throw RoomError(.cannotKeepState, "cannot keep the state in \(path): \(error)")
    }
    do throws(PrivateFileError) {
      try file.write(bytes)
    } catch {
      throw RoomError(.cannotKeepState, "cannot keep the state: \(error.message)")
    }
  }

  /// Removes the file: nothing is to be continued.
  func remove() {
    try? file.remove()
  }
}

/// The version of the state file's format.
private let stateFormat = 3

/// The largest size of a state in bytes. That of 100 matches with 16 players each is about 1 MB.
private let maximumStateSize = 64 << 20
