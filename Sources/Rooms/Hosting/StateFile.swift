import EventLoop
import FoundationEssentials
import Glibc

/// The file in which the state of a room, or a house of many, outlives the process.
///
/// It is always whole: what is new is written beside it, brought to the disk, and put in its place. All of this happens on a
/// thread of its own, because a disk may take its time.
struct StateFile: Sendable {
  /// What stands in the file of a room.
  struct RoomContents: Codable, Sendable {
    /// Where the room listens, so that the players find it again.
    let port: UInt16
    let room: RoomMachine.Snapshot
  }

  /// What stands in the file of a house.
  struct HouseContents: Codable, Sendable {
    /// Where the house listens.
    let port: UInt16
    let house: HouseMachine.Snapshot
  }

  let path: String

  private static let thread = SharedEventLoop(name: "room state")

  /// Runs a closure on the thread of such files.
  ///
  /// - Throws: ``RoomError`` with code `cannotKeepState` when there is no thread for them, or what the closure throws.
  func onItsThread<Success: Sendable>(
    _ body: @escaping @Sendable (StateFile) throws(RoomError) -> Success
  ) async throws(RoomError) -> Success {
    let thread: EventLoop
    do throws(SystemError) {
      thread = try Self.thread.get()
    } catch {
      throw RoomError(.cannotKeepState, "cannot keep a room's state: \(error)")
    }
    return try await withCheckedContinuation { (caller: CheckedContinuation<Result<Success, RoomError>, Never>) in
      thread.execute {
        caller.resume(returning: Result { () throws(RoomError) in try body(self) })
      }
    }.get()
  }

  /// What is written in the file; `nil` when there is none.
  ///
  /// - Throws: ``RoomError`` with code `unusableState`.
  func read<Contents: Decodable>(_ type: Contents.Type) throws(RoomError) -> Contents? {
    let bytes: Data
    do {
      bytes = try Data(contentsOf: URL(filePath: path))
    } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
      return nil
    } catch {
      throw RoomError(.unusableState, "cannot read the state in \(path): \(Self.reason(of: error))")
    }
    do {
      return try JSONDecoder().decode(type, from: bytes)
    } catch let error as RoomMachine.Snapshot.Invalid {
      throw RoomError(state: path, error)
    } catch {
      throw RoomError(state: path, .damaged("it is not what this program writes"))
    }
  }

  /// Puts contents in the place of what the file held.
  ///
  /// - Throws: ``RoomError`` with code `cannotKeepState`; the file is as it was then.
  func write(_ contents: some Encodable) throws(RoomError) {
    let beside = path + ".new"
    do throws(SystemError) {
      let descriptor = try systemCall("open") {
        open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600))
      }
      do throws(SystemError) {
        try Self.write(JSON.bytes(of: contents), to: descriptor)
        try systemCall("fsync") { fsync(descriptor) }
      } catch {
        Glibc.close(descriptor)
        unlink(beside)
        throw error
      }
      Glibc.close(descriptor)
      try systemCall("rename") { rename(beside, path) }
    } catch {
      throw RoomError(.cannotKeepState, "cannot keep the state in \(path): \(error.reason)")
    }
  }

  /// Removes the file: the room is over.
  func remove() {
    unlink(path)
  }

  private static func write(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = try systemCall("write") { rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
      rest = rest.dropFirst(count)
    }
  }

  private static func reason(of error: any Error) -> String {
    let underlying = (error as? CocoaError)?.underlying as? POSIXError
    return underlying.map { SystemError.reason(of: $0.code.rawValue) } ?? "\(error)"
  }
}
