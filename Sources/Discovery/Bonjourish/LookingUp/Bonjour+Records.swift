import _BonjourishDiscovery
import _BonjourishEventLoop

extension Bonjour {
  /// Looks up the records of a name once.
  ///
  /// It returns when all hosts that answer at once have answered, which takes about a second. The built-in engine knows when a
  /// name's only owner has answered; then it returns 150 ms later. For addresses, aliases are followed: the built-in engine follows up to four
  /// CNAME records in a row and returns them too, avahi-daemon returns only the addresses.
  ///
  /// ```swift
  /// for record in try await bonjour.records(of: "printer.local", type: .hinfo) { print(record.data) }
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name, such as `printer.local`, or ``ServiceInstance/fullName``.
  ///   - type: The type. avahi-daemon cannot be asked for `any` or `cname`.
  ///   - interfaces: The interfaces to ask on.
  ///   - limit: The longest time to wait. Records found by then are returned.
  /// - Returns: The records, one for each interface and address family, sorted by type and data; empty when no host has answered.
  /// - Throws: ``DiscoveryError`` when the lookup fails: `unavailable` or `noNetwork` when it is interrupted at the end of the
  ///   limit, `cancelled`, `limitReached`, `refused` for a type that avahi-daemon cannot be asked for, or `invalidDomain` for a
  ///   name outside multicast DNS.
  public func records(
    of name: DomainName, type: RecordType, interfaces: InterfaceSelection = .all, within limit: Duration = .seconds(5)
  ) async throws(DiscoveryError) -> [ResourceRecord] {
    let question = RecordQuestion(.domain(name), type, interfaces: interfaces)
    let demand = LookupCore<ResourceRecord>.Demand { $0.isUnique == true && $0.type == type }
    return try await lookUp([question], .records, during: question.action, demand, within: limit)
  }

  /// Follows the records of a name for as long as a closure runs.
  ///
  /// When this function returns or throws, the lookup has ended.
  ///
  /// - Parameters:
  ///   - name: The name, such as `printer.local`, or ``ServiceInstance/fullName``.
  ///   - type: The type. avahi-daemon cannot be asked for `any` or `cname`.
  ///   - interfaces: The interfaces to ask on.
  ///   - body: The closure. The lookup runs while it runs.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  public func withRecords<Result>(
    of name: DomainName, type: RecordType, interfaces: InterfaceSelection = .all,
    _ body: (Lookup<ResourceRecord>) async throws -> Result
  ) async throws -> Result {
    let question = RecordQuestion(.domain(name), type, interfaces: interfaces)
    return try await withLookup([question], .records, during: question.action, body)
  }

  /// Follows the records of a name until the handle is closed.
  ///
  /// It is ``withRecords(of:type:interfaces:_:)`` for objects that live as long as a program; see there for the parameters.
  ///
  /// - Returns: The lookup, in a handle.
  /// - Throws: ``DiscoveryError`` with code `unavailable` after ``close()``. Other errors are thrown by the lookup's sequences.
  public func openRecords(
    of name: DomainName, type: RecordType, interfaces: InterfaceSelection = .all
  ) async throws(DiscoveryError) -> Handle<Lookup<ResourceRecord>> {
    let question = RecordQuestion(.domain(name), type, interfaces: interfaces)
    return try await openLookup([question], .records, during: question.action)
  }

  // MARK: - Any lookup

  /// Runs a lookup once.
  func lookUp<Element>(
    _ questions: [RecordQuestion], _ reading: LookupState<Element>.Reading, during action: String,
    _ demand: LookupCore<Element>.Demand = .init(), within limit: Duration
  ) async throws(DiscoveryError) -> [Element] {
    try checkIsOpen()
    let deadline = time.now() + limit
    let core = LookupCore(questions, reading, during: action, on: backend, time: time)
    return try await once(endingBy: { await core.stop() }) { () throws(DiscoveryError) in
      await core.start()
      return try await core.elements(demand, until: deadline)
    }
  }

  /// Runs a lookup for as long as a closure runs.
  func withLookup<Element, Result>(
    _ questions: [RecordQuestion], _ reading: LookupState<Element>.Reading, during action: String,
    _ body: (Lookup<Element>) async throws -> Result
  ) async throws -> Result {
    let core = try await startLookup(questions, reading, during: action)
    return try await scope(Lookup(core), endingBy: { await core.stop() }, body)
  }

  /// Runs a lookup until its handle is closed.
  func openLookup<Element>(
    _ questions: [RecordQuestion], _ reading: LookupState<Element>.Reading, during action: String
  ) async throws(DiscoveryError) -> Handle<Lookup<Element>> {
    let core = try await startLookup(questions, reading, during: action)
    return try await handle(Lookup(core), "the lookup (\(action))") { await core.stop() }
  }

  private func startLookup<Element>(
    _ questions: [RecordQuestion], _ reading: LookupState<Element>.Reading, during action: String
  ) async throws(DiscoveryError) -> LookupCore<Element> {
    try checkIsOpen()
    let core = LookupCore(questions, reading, during: action, on: backend, time: time, counting: own.deliveries)
    await core.start()
    return core
  }
}
