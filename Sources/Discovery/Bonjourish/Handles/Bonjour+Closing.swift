import CBonjourishLinux
package import _BonjourishDiscovery
import _BonjourishEventLoop

/// What is open of one ``Bonjour``.
final class OpenEndings: Sendable {
  private struct State {
    var endings: [ObjectIdentifier: Ending] = [:]
    var isClosed = false
  }

  private let state = Locked(State())

  /// Whether nothing can be opened any more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Adds what was opened.
  ///
  /// - Returns: False if nothing can be opened any more.
  func insert(_ ending: Ending) -> Bool {
    state.withLock { state in
      if !state.isClosed { state.endings[ObjectIdentifier(ending)] = ending }
      return !state.isClosed
    }
  }

  func remove(_ id: ObjectIdentifier) { state.withLock { $0.endings[id] = nil } }

  /// Lets nothing be opened any more, and returns what is open.
  func close() -> [Ending] {
    state.withLock { state in
      state.isClosed = true
      return Array(state.endings.values)
    }
  }
}

extension Bonjour {
  /// Ends everything that is open, and returns when the goodbyes are being sent, and the daemon's connection or the engine is freed.
  ///
  /// Nothing can be opened or asked for afterwards: that fails with the code `unavailable`. The sequences of scopes that still run end, and
  /// ``Handle/isOpen`` of handles is false. Calls that wait for an answer fail with that code, too.
  ///
  /// Without this call, the last release of the object does the same, but nobody learns when. A program that exits then may be faster.
  /// It may be called several times, and within scopes.
  public func close() async { await lastEnding.end() }

  /// What ends everything.
  static func lastEnding(
    of backend: any DiscoveryBackend, _ open: OpenEndings, _ names: NameKeeper?
  ) -> Ending {
    Ending {
      await withDiscardingTaskGroup { group in
        for ending in open.close() { group.addTask { await ending.end() } }
      }
      await names?.write()
      await backend.close()
    }
  }

  /// - Throws: ``DiscoveryError`` with code `unavailable` after ``close()``.
  func checkIsOpen() throws(DiscoveryError) {
    guard open.isClosed else { return }
    throw DiscoveryError(.unavailable, "using discovery: this Bonjour object was closed; make a new one")
  }

  /// Notes what ends something that was opened, for ``close()``.
  ///
  /// - Throws: ``DiscoveryError`` with code `unavailable` after ``close()``. The action has been carried out then.
  package func ending(_ action: @escaping @Sendable () async -> Void) async throws(DiscoveryError) -> Ending {
    let id = Locked<ObjectIdentifier?>(nil)
    let ending = Ending { [open] in
      await action()
      if let id = id.withLock({ $0 }) { open.remove(id) }
    }
    id.withLock { $0 = ObjectIdentifier(ending) }
    if open.insert(ending) { return ending }
    await ending.end()
    try checkIsOpen()
    return ending
  }

  /// Makes a handle for what was opened.
  ///
  /// - Parameters:
  ///   - value: What was opened.
  ///   - name: What it is, such as `the browser of _http._tcp`.
  ///   - action: What ends it.
  /// - Throws: ``DiscoveryError`` with code `unavailable` after ``close()``. The action has been carried out then.
  package func handle<Value>(
    _ value: Value, _ name: String, endingBy action: @escaping @Sendable () async -> Void
  ) async throws(DiscoveryError) -> Handle<Value> {
    Handle(value, name, try await ending(action), of: self)
  }

  /// Waits for an answer, also no longer than until ``close()``.
  ///
  /// - Parameter action: What ends the wait, and what was begun for it.
  /// - Throws: What the body throws, and ``DiscoveryError`` with code `unavailable` after ``close()``.
  func once<Answer>(
    endingBy action: @escaping @Sendable () async -> Void, _ body: () async throws(DiscoveryError) -> Answer
  ) async throws(DiscoveryError) -> Answer {
    let ending = try await ending(action)
    do throws(DiscoveryError) {
      let answer = try await body()
      await ending.end()
      try checkIsOpen()
      return answer
    } catch {
      await ending.end()
      try checkIsOpen()
      throw error
    }
  }

  /// Calls a closure with what was opened, and ends that.
  func scope<Value, Result>(
    _ value: Value, endingBy action: @escaping @Sendable () async -> Void, _ body: (Value) async throws -> Result
  ) async throws -> Result {
    let ending = try await ending(action)
    do {
      let result = try await body(value)
      await ending.end()
      return result
    } catch {
      await ending.end()
      throw error
    }
  }

  /// Says that somebody has released a handle without closing it.
  func warnOfUnclosed(_ name: String) {
    let message = LogMessage(
      .warning, "\(name) was not closed, and ends because its handle was released; keep the handle, and call close() at the end"
    )
    log(message)
    #if DEBUG
    let line = Array("bonjourish: \(message)\n".utf8)
    // Where nobody can read it, nobody needs it.
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    #endif
  }
}
