/// What happens when another host has the name of a service or a host that is being published, or claims it later.
///
/// Later versions may add cases: a `switch` has a `default` or `@unknown default`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ConflictPolicy: Hashable, Sendable {
  /// An alternative is published: "Name #2" for a service, `name-2` for a host (RFC 6762 §9).
  case rename
  /// Publishing fails with the code ``DiscoveryError/Code/nameTaken``.
  case fail
}
