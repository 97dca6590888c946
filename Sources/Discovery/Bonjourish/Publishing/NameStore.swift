public import _BonjourishDiscovery

/// Stores the names that services got after conflicts, so that a restarted program asks for "Name #2" at once and does not try to
/// take "Name" again (RFC 6762 §9).
///
/// Set it as ``Bonjour/Configuration/nameStore``. It is asked when a service is about to be published, and told when a name was
/// established. Services that must not be renamed (``ConflictPolicy/fail``) are not in it.
public struct NameStore: Sendable {
  let load: @Sendable (ServiceInstance) throws -> InstanceName?
  let store: @Sendable (InstanceName?, ServiceInstance) throws -> Void

  /// Makes a store of closures. Errors that they throw are logged.
  ///
  /// - Parameters:
  ///   - load: Returns the name that a service got; nil if it has the requested one. Its argument has the requested name. Called
  ///     on the publishing task.
  ///   - store: Stores a name, or forgets it when the name is nil. The second argument has the requested name. Called on a thread of
  ///     the global executor, one call at a time.
  public init(
    load: @escaping @Sendable (_ requested: ServiceInstance) throws -> InstanceName?,
    store: @escaping @Sendable (_ name: InstanceName?, _ requested: ServiceInstance) throws -> Void
  ) {
    self.load = load
    self.store = store
  }

  /// Makes a store of small files in a folder, one for each service that was renamed.
  ///
  /// A file is replaced at once, never half, and only its owner may read and write it (mode 0600). Under systemd, let the unit have
  /// `StateDirectory=NAME` and give the environment variable `STATE_DIRECTORY`, which is then the path of a folder that outlives
  /// the program. Otherwise a folder below `$XDG_STATE_HOME` or `~/.local/state` is usual.
  ///
  /// - Parameter path: The path of the folder. It must exist, and nobody else should be able to write to it.
  public static func folder(_ path: String) -> NameStore {
    NameStore(
      load: { try NameFile(of: $0, in: path).read() },
      store: { name, requested in
        let file = NameFile(of: requested, in: path)
        if let name { try file.write(name) } else { try file.remove() }
      })
  }
}
