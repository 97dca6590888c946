import _BonjourishDiscovery

extension Bonjour {
  /// Lists the service types of which there are instances on the network (RFC 6763 §9).
  ///
  /// It returns when all hosts that answer at once have answered, which takes about a second.
  ///
  /// - Parameters:
  ///   - domain: The domain, usually `local`, which is the only domain of the built-in engine.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait. Types found by then are returned.
  /// - Returns: The types, sorted by name.
  /// - Throws: ``DiscoveryError`` when the lookup fails: `unavailable` or `noNetwork` when it is interrupted at the end of the
  ///   limit, `cancelled`, `limitReached`, `refused`, `invalidDomain`.
  public func serviceTypes(
    domain: DomainName = .local, interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(6)
  ) async throws(DiscoveryError) -> [DiscoveredServiceType] {
    try await lookUp(
      [Self.typesQuestion(domain, interfaces)], .types, during: Self.typesAction(domain), within: limit)
  }

  /// Follows the list of service types on the network for as long as a closure runs (RFC 6763 §9).
  ///
  /// A type is lost some time after its last instance: most hosts never withdraw a type, and it expires after up to 75 minutes.
  ///
  /// - Parameters:
  ///   - domain: The domain, usually `local`, which is the only domain of the built-in engine.
  ///   - interfaces: The interfaces to ask on.
  ///   - body: The closure. The lookup runs while it runs.
  /// - Returns: The closure's result.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when the domain is too long, or the closure's error.
  public func withServiceTypeBrowser<Result>(
    domain: DomainName = .local, interfaces: InterfaceSelection = .all,
    _ body: (Lookup<DiscoveredServiceType>) async throws -> Result
  ) async throws -> Result {
    try await withLookup([Self.typesQuestion(domain, interfaces)], .types, during: Self.typesAction(domain), body)
  }

  /// Follows the list of service types on the network until the handle is closed (RFC 6763 §9).
  ///
  /// It is ``withServiceTypeBrowser(domain:interfaces:_:)`` for objects that live as long as a program; see there for the parameters.
  ///
  /// - Returns: The lookup, in a handle.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when the domain is too long, or `unavailable` after ``close()``.
  public func openServiceTypeBrowser(
    domain: DomainName = .local, interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<Lookup<DiscoveredServiceType>> {
    try await openLookup([Self.typesQuestion(domain, interfaces)], .types, during: Self.typesAction(domain))
  }

  private static func typesAction(_ domain: DomainName) -> String { "looking for service types in \(domain)" }

  private static func typesQuestion(
    _ domain: DomainName, _ interfaces: InterfaceSelection
  ) throws(DiscoveryError) -> RecordQuestion {
    RecordQuestion(.domain(try DomainName("_services._dns-sd._udp.\(domain.text)")), .ptr, interfaces: interfaces)
  }

  // MARK: - Domains

  /// Lists the domains that the network recommends for browsing and publishing (RFC 6763 §11).
  ///
  /// Most networks recommend none: then `local` is the only domain. It returns when all hosts that answer at once have answered,
  /// which takes about a second.
  ///
  /// - Parameters:
  ///   - purposes: The purposes to ask for.
  ///   - domain: The domain in which to ask, usually `local`, which is the only domain of the built-in engine.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait. Domains found by then are returned.
  /// - Returns: The domains, sorted by name.
  /// - Throws: ``DiscoveryError`` like ``serviceTypes(domain:interfaces:within:)``.
  public func domains(
    for purposes: Set<DiscoveredDomain.Purpose> = Set(DiscoveredDomain.Purpose.allCases), domain: DomainName = .local,
    interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(6)
  ) async throws(DiscoveryError) -> [DiscoveredDomain] {
    try await lookUp(
      Self.domainQuestions(purposes, domain, interfaces), .domains, during: Self.domainsAction(domain), within: limit)
  }

  /// Follows the list of recommended domains for as long as a closure runs (RFC 6763 §11).
  ///
  /// - Parameters:
  ///   - purposes: The purposes to ask for, at least one.
  ///   - domain: The domain in which to ask, usually `local`, which is the only domain of the built-in engine.
  ///   - interfaces: The interfaces to ask on.
  ///   - body: The closure. The lookup runs while it runs.
  /// - Returns: The closure's result.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when the domain is too long, or the closure's error.
  public func withDomainBrowser<Result>(
    for purposes: Set<DiscoveredDomain.Purpose> = Set(DiscoveredDomain.Purpose.allCases), domain: DomainName = .local,
    interfaces: InterfaceSelection = .all, _ body: (Lookup<DiscoveredDomain>) async throws -> Result
  ) async throws -> Result {
    try await withLookup(Self.domainQuestions(purposes, domain, interfaces), .domains, during: Self.domainsAction(domain), body)
  }

  /// Follows the list of recommended domains until the handle is closed (RFC 6763 §11).
  ///
  /// It is ``withDomainBrowser(for:domain:interfaces:_:)`` for objects that live as long as a program; see there for the parameters.
  ///
  /// - Returns: The lookup, in a handle.
  /// - Throws: ``DiscoveryError`` with code `invalidDomain` when the domain is too long, or `unavailable` after ``close()``.
  public func openDomainBrowser(
    for purposes: Set<DiscoveredDomain.Purpose> = Set(DiscoveredDomain.Purpose.allCases), domain: DomainName = .local,
    interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<Lookup<DiscoveredDomain>> {
    try await openLookup(Self.domainQuestions(purposes, domain, interfaces), .domains, during: Self.domainsAction(domain))
  }

  private static func domainsAction(_ domain: DomainName) -> String { "looking for domains in \(domain)" }

  private static func domainQuestions(
    _ purposes: Set<DiscoveredDomain.Purpose>, _ domain: DomainName, _ interfaces: InterfaceSelection
  ) throws(DiscoveryError) -> [RecordQuestion] {
    precondition(!purposes.isEmpty, "purposes must not be empty")
    var questions: [RecordQuestion] = []
    for purpose in DiscoveredDomain.Purpose.allCases where purposes.contains(purpose) {
      questions.append(RecordQuestion(.domain(try purpose.name(in: domain)), .ptr, interfaces: interfaces))
    }
    return questions
  }
}
