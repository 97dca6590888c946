/// The version of the package, which its programs show.
public enum Version {
  /// The version by Semantic Versioning; `make check` compares it with CHANGELOG.md.
  public static let current = "0.1.0"
  /// The date of the manual pages.
  static let date = "2026-11-22"
}
