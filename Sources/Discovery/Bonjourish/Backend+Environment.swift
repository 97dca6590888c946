import CBonjourishLinux

extension Bonjour.Backend {
  /// The value of the environment variable `BONJOURISH_BACKEND`; nil when it is not set or empty.
  ///
  /// - Throws: ``DiscoveryError`` with code `invalidBackend` when it names no backend.
  static func fromEnvironment() throws(DiscoveryError) -> Self? {
    // Only this line reads the environment, and it copies the string at once: a later `setenv` may invalidate it.
    guard let name = getenv("BONJOURISH_BACKEND").map({ String(cString: $0) }), !name.isEmpty else { return nil }
    guard let backend = Self(rawValue: name) else {
      let names = allCases.map(\.rawValue)
      throw DiscoveryError(
        .invalidBackend,
        "the environment variable BONJOURISH_BACKEND is \"\(name)\", which is no backend; set it to "
          + "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1]), or unset it")
    }
    return backend
  }
}
