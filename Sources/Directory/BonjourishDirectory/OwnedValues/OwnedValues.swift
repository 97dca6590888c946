public import Bonjourish
import _BonjourishDirectoryProtocol
import _BonjourishDiscovery

/// Values in a directory that exactly one program at a time owns, such as the states of running matches.
///
/// The owner writes a value at most once a second, and others take it over when the owner is gone:
///
/// ```swift
/// try await bonjour.withOwnedValues { values in
///   try values.put("match-12", state, version: 1)
///   for await change in values.changes {
///     switch change {
///     case .orphaned(let orphan): values.take(orphan.name)
///     case .owned(let name, let stored): print("\(name) is ours, and stored as of change \(stored)")
///     case .doubtful(let name): pause(name)
///     case .lost(let name): stop(name)
///     case .failed(_, let error): print(error)
///     }
///   }
/// }
/// ```
///
/// See <doc:OwningValues> for what is guaranteed, and what is not.
public final class OwnedValues: Sendable {
  /// What has happened to a value. Of several changes of one value that were not read, the last is told.
  ///
  /// No case will be added: a program that did not know one could act for a value that is another's.
  public enum Change: Hashable, Sendable {
    /// The value is this program's, and the directory has the version `stored`; 0 for a value that was taken, and not changed yet.
    /// Also after ``doubtful(_:)``.
    case owned(String, stored: UInt64)
    /// The directory has not answered for the time of the lease. Another program may own the value now, so act as if it did until
    /// ``owned(_:stored:)`` or ``lost(_:)`` follows.
    case doubtful(String)
    /// Another program owns the value, or it was removed. It is no value of this program any more.
    case lost(String)
    /// The directory refuses the last version for ever; a newer one is tried.
    case failed(String, DiscoveryError)
    /// The owner of a value is gone, and it can be taken. Answer with ``OwnedValues/take(_:)`` or ``OwnedValues/ignore(_:)``: at
    /// most eight orphans are offered at a time.
    case orphaned(Orphan)

    init(_ name: String, _ state: Ownership.State) {
      self =
        switch state {
        case .owned(let stored): .owned(name, stored: stored)
        case .doubtful: .doubtful(name)
        case .lost: .lost(name)
        case .failed(let failure): .failed(name, failure.during("storing \"\(name)\" in the directory"))
        }
    }
  }

  /// A value whose owner is gone.
  public struct Orphan: Hashable, Sendable {
    /// The name of the value.
    public let name: String
    /// The value. Anybody who may write to the directory may have written it.
    public let bytes: [UInt8]
  }

  private let backend: DirectoryBackend
  private let store: DirectoryStore
  private let box: ChangeBox
  private let maximumByteCount: Int

  init(_ backend: DirectoryBackend, _ configuration: Configuration, _ bucket: Bucket) {
    let box = ChangeBox()
    self.backend = backend
    self.box = box
    maximumByteCount = configuration.maximumByteCount
    store = DirectoryStore(configuration, bucket, backend.settings, on: backend.loop, box, log: backend.log)
    backend.perform { [store] in $0.add(store) }
  }

  /// The changes. Read them in one task.
  public var changes: Changes { Changes(box: box) }

  /// The changes of the values, in order for each of them, as an asynchronous sequence.
  ///
  /// The sequence ends with the scope of the values, and when the task is cancelled.
  public struct Changes: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = Change
    /// The sequence does not fail.
    public typealias Failure = Never

    fileprivate let box: ChangeBox

    /// Makes an iterator over the changes that no other iterator has taken.
    public func makeAsyncIterator() -> Iterator { Iterator(box: box) }

    /// One iteration over the changes.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let box: ChangeBox

      /// Waits for the next change; nil after the last one, and when the task is cancelled.
      public mutating func next() async -> Change? { await box.next() }

      /// Waits for the next change; nil after the last one, and when the task is cancelled.
      public nonisolated(nonsending) mutating func next(isolation actor: (any Actor)?) async -> Change? { await box.next() }
    }
  }

  /// Creates a value, or replaces one of this program.
  ///
  /// It is written at once, or a second after it was written last; of several versions until then the last one. If another program owns
  /// a value of this name, ``Change/lost(_:)`` follows.
  ///
  /// - Parameters:
  ///   - name: The name, 1–64 lower-case letters, digits and hyphens.
  ///   - bytes: The value. It is neither encrypted nor authenticated.
  ///   - version: A number from 1 that grows with each change. One that does not grow is ignored.
  /// - Throws: ``OwnedValueError`` with code `invalidName` or `tooLarge`.
  public func put(_ name: String, _ bytes: [UInt8], version: UInt64) throws(OwnedValueError) {
    try OwnedValueError.check(name)
    let limit = min(maximumByteCount, max(box.payload, 2_048) - 1_024)
    guard bytes.count <= limit else {
      throw OwnedValueError(.tooLarge, "\"\(name)\" has \(bytes.count) bytes, and the directory takes at most \(limit)")
    }
    perform { $0.put(name, bytes, version: version, at: .now) }
  }

  /// Removes a value of this program, because nobody needs it any more.
  public func remove(_ name: String) { perform { $0.remove(name, at: .now) } }

  /// Gives a value of this program up. Others may take it at once.
  public func release(_ name: String) { perform { $0.release(name, at: .now) } }

  /// Takes an orphan that was offered. ``Change/owned(_:stored:)`` follows, or ``Change/lost(_:)`` if another program was faster.
  public func take(_ name: String) { perform { $0.take(name, at: .now) } }

  /// Leaves an orphan that was offered to others. It is offered again when it has changed, or with ``reconsider(_:)``.
  public func ignore(_ name: String) {
    perform { machine in
      machine.ignore(name)
      return []
    }
  }

  /// Offers an orphan again that was ignored, if nobody has taken it.
  public func reconsider(_ name: String) {
    perform { machine in
      machine.reconsider(name)
      return []
    }
  }

  private func perform(_ body: @escaping @Sendable (inout Ownership) -> [Ownership.Effect]) {
    backend.perform { [store] _ in store.perform(body) }
  }

  /// Releases all values, and returns when the directory has been told, or half a second later.
  func end() async {
    backend.perform { [store] in $0.remove(store) }
    await backend.drain()
  }
}

extension OwnedValues.Change: CustomStringConvertible {
  /// The change for display, such as `match-12 is owned, and stored as of version 7`. An orphan's bytes are counted only.
  public var description: String {
    switch self {
    case .owned(let name, let stored): "\(name) is owned, and stored as of version \(stored)"
    case .doubtful(let name): "\(name) is in doubt"
    case .lost(let name): "\(name) is lost"
    case .failed(let name, let error): "\(name) cannot be stored: \(error)"
    case .orphaned(let orphan): "\(orphan.name) has no owner (\(orphan.bytes.count) bytes)"
    }
  }
}

extension Bonjour {
  /// Owns values in the directory of this object while a closure runs.
  ///
  /// When this returns, other programs may take the values at once. What changed last is written before.
  ///
  /// - Parameters:
  ///   - configuration: The bucket and its limits.
  ///   - body: The closure, which reads ``OwnedValues/changes``.
  /// - Returns: The closure's result.
  /// - Throws: ``OwnedValueError`` with code `noDirectory` if this object was made without a directory, or
  ///   `invalidConfiguration`; or the closure's error.
  public func withOwnedValues<Result>(
    _ configuration: OwnedValues.Configuration = OwnedValues.Configuration(), _ body: (OwnedValues) async throws -> Result
  ) async throws -> Result {
    let handle = try await openOwnedValues(configuration)
    do {
      let result = try await body(handle.value)
      await handle.close()
      return result
    } catch {
      await handle.close()
      throw error
    }
  }

  /// Owns values in the directory of this object until the handle is closed.
  ///
  /// It is ``withOwnedValues(_:_:)`` for objects that live as long as a program; see there for the parameters.
  ///
  /// - Returns: The values, in a handle.
  /// - Throws: ``OwnedValueError`` with code `noDirectory` if this object was made without a directory, or `invalidConfiguration`;
  ///   `DiscoveryError` with code `unavailable` after `Bonjour.close()`.
  public func openOwnedValues(
    _ configuration: OwnedValues.Configuration = OwnedValues.Configuration()
  ) async throws -> Handle<OwnedValues> {
    guard let directory = (backend as? DirectoryBackend) ?? (backend as? CombinedBackend)?.directory else {
      throw OwnedValueError(.noDirectory, "owning values needs a directory: make the Bonjour object with one")
    }
    let bucket = try configuration.checked(for: directory.settings)
    let values = OwnedValues(directory, configuration, bucket)
    return try await handle(values, "the owned values of the bucket \(configuration.bucket)") { await values.end() }
  }
}

/// The stores of owned values.
extension DirectoryBackend {
  func add(_ store: DirectoryStore) {
    guard !isClosed else { return }
    stores[ObjectIdentifier(store)] = store
    if isConnected, let line { store.connect(line) }
  }

  func remove(_ store: DirectoryStore) {
    stores[ObjectIdentifier(store)] = nil
    store.stop()
  }
}
