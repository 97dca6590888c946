import Glibc

extension Bonjour.Backend {
  /// What the environment variable `BONJOURISH_BACKEND` says; nil when it is not set, or to something else.
  static var fromEnvironment: Self? {
    // Glibc's environment is read here only, and the string copied at once.
    getenv("BONJOURISH_BACKEND").flatMap { Self(rawValue: String(cString: $0)) }
  }
}
