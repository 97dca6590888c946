extension [IPAddress] {
  /// The addresses of a host in the order in which to try them.
  package var inOrderOfPreference: [IPAddress] {
    sorted { ($0.preference, $0.description) < ($1.preference, $1.description) }
  }
}
