import EventLoop

/// Keeps the file of a room or a house up to date, at most once a second, on the thread of such files.
final class StateKeeper<Contents: Codable & Sendable>: Sendable {
  private let file: StateFile
  private let failed: @Sendable (RoomError) -> Void
  private let isNew = Watched(false)

  init(_ file: StateFile, failed: @escaping @Sendable (RoomError) -> Void) {
    self.file = file
    self.failed = failed
  }

  /// Something has changed that is to be kept.
  func changed() {
    isNew.change { $0 = true }
  }

  /// Writes contents, and returns when they are on the disk.
  ///
  /// - Throws: ``RoomError`` with code `cannotKeepState`.
  func write(_ contents: Contents) async throws(RoomError) {
    try await file.onItsThread { file throws(RoomError) in try file.write(contents) }
  }

  /// Writes what a closure returns whenever something has changed, until the task is cancelled or the closure returns nil.
  func keep(_ contents: @escaping @Sendable () async -> Contents?) -> Task<Void, Never> {
    Task {
      var isFailing = false
      while await next(), let contents = await contents() {
        do throws(RoomError) {
          try await write(contents)
          isFailing = false
        } catch {
          // Told once, not each second.
          if !isFailing { failed(error) }
          isFailing = true
        }
        // Ends early when the task is cancelled, as does what comes next.
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// Writes what is to be gone on with; nothing is written afterwards.
  func end(with last: Contents) async {
    do throws(RoomError) {
      try await write(last)
    } catch {
      failed(error)
    }
  }

  /// Removes the file, because the room is over.
  func remove() async {
    // Fails only where there is no thread, and then nothing was written either.
    try? await file.onItsThread { $0.remove() }
  }

  private func next() async -> Bool {
    await isNew.take { isNew in
      guard isNew else { return nil }
      isNew = false
      return true
    } ?? false
  }
}
