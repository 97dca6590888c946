extension Bonjour {
  /// How long records are still believed if no host sends them again.
  ///
  /// - Parameter name: The name of the records, such as ``ServiceInstance/fullName``.
  /// - Returns: The time left of each record, on each link. Records that this process publishes are missing, as they do not age, and so are
  ///   all that avahi-daemon or a directory has found, which tell no times.
  package func remainingLifetimes(of name: DomainName) async -> [ResourceRecord.ID: Duration] {
    await backend.remainingLifetimes(of: name)
  }
}
