import CLinux

extension Bonjour.Backend {
  /// The value of the environment variable `BONJOURISH_BACKEND`; nil when it is not set or names no backend.
  static var fromEnvironment: Self? {
    // Only this line reads the environment, and it copies the string at once: a later `setenv` may invalidate it.
    getenv("BONJOURISH_BACKEND").flatMap { Self(rawValue: String(cString: $0)) }
  }
}
