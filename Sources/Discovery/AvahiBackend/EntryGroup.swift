#if Avahi
import CBonjourishAvahi.Client
import _BonjourishDiscovery

/// The owner of one AvahiEntryGroup. Confined to the loop.
final class EntryGroup {
  enum State {
    case established
    case collision
    case failed(AvahiError)
  }

  private var group: OpaquePointer?
  private let connection: AvahiConnection
  private let stateChanged: (EntryGroup, State) -> Void
  /// Whether the group was established; kept by its owner.
  var isEstablished = false

  /// - Parameter stateChanged: Called with each state, also from within `add`. It must not free the group.
  init(on connection: AvahiConnection, _ stateChanged: @escaping (EntryGroup, State) -> Void) throws(AvahiError) {
    self.connection = connection
    self.stateChanged = stateChanged
    let callback: AvahiEntryGroupCallback = { _, state, userdata in
      // `free`, or freeing the client, frees the group before this object.
      Unmanaged<EntryGroup>.fromOpaque(userdata!).takeUnretainedValue().changed(state)
    }
    group = avahi_entry_group_new(connection.client, callback, Unmanaged.passUnretained(self).toOpaque())
    guard group != nil else { throw connection.error }
    connection.groupCount += 1
  }

  deinit {
    assert(group == nil, "an Avahi entry group was not freed")
  }

  func free() {
    if let group { avahi_entry_group_free(group) }
    forget()
  }

  /// Forgets the group without freeing it, because its client is about to free it.
  func forget() {
    if group != nil { connection.groupCount -= 1 }
    group = nil
  }

  /// Adds entries, at most ``Entry/maximumPerGroup``, and commits them.
  func add(_ entries: some Sequence<Entry>, at place: Restriction.Place) throws(AvahiError) {
    for entry in entries {
      if case .sharedService(let name, let service, let domain) = entry {
        try add(shared(service, as: name, in: domain), at: place)
      } else {
        try check(add(entry, at: place))
      }
    }
    try check(avahi_entry_group_commit(group))
  }

  private func add(_ entry: Entry, at place: Restriction.Place) -> CInt {
    switch entry {
    case .service(let name, let service, let domain):
      return service.txt.withStringList { txt in
        avahi_entry_group_add_service_strlst(
          group, place.interface, place.family, AVAHI_PUBLISH_NO_COOKIE, name.text, service.type.dnsText, domain.text,
          service.host?.text, service.port, txt)
      }
    case .sharedService: preconditionFailure("a shared service must be added as its records")
    case .subtype(let subtype, let name, let type, let domain):
      return avahi_entry_group_add_service_subtype(
        group, place.interface, place.family, AvahiPublishFlags(0), name.text, type.dnsText, domain.text, subtype)
    case .record(let record, let isAlone):
      // Of several records of one unique name and type, each would collide with the one before.
      let flags: [AvahiPublishFlags] =
        switch (record.isUnique, isAlone) {
        case (false, _): []
        case (true, true): [AVAHI_PUBLISH_UNIQUE]
        case (true, false): [AVAHI_PUBLISH_UNIQUE, AVAHI_PUBLISH_ALLOW_MULTIPLE]
        }
      return add(record, AvahiPublishFlags(flags.reduce(0) { $0 | $1.rawValue }), at: place)
    }
  }

  private func add(_ record: CustomRecord, _ flags: AvahiPublishFlags, at place: Restriction.Place) -> CInt {
    record.data.withUnsafeBufferPointer { data in
      avahi_entry_group_add_record(
        group, place.interface, place.family, flags, record.name.text, UInt16(AVAHI_DNS_CLASS_IN), record.type.rawValue,
        record.timeToLive, data.baseAddress, data.count)
    }
  }

  /// Adds records as they are.
  private func add(_ records: [CustomRecord], at place: Restriction.Place) throws(AvahiError) {
    for record in records { try check(add(record, AvahiPublishFlags(0), at: place)) }
  }

  /// The records of a service that nobody can dispute. avahi-daemon makes those of other services itself, and unique.
  private func shared(
    _ service: Registration.ServiceContent, as name: InstanceName, in domain: DomainName
  ) throws(AvahiError) -> [CustomRecord] {
    let host: DomainName?
    if let other = service.host {
      host = other
    } else {
      host = avahi_client_get_host_name_fqdn(connection.client).flatMap { try? DomainName(String(cString: $0)) }
    }
    guard let host, let records = try? CustomRecord.shared(of: service, as: name, in: domain, on: host) else {
      throw AvahiError(CInt(AVAHI_ERR_INVALID_HOST_NAME))
    }
    return records
  }

  func update(_ registration: Registration, at place: Restriction.Place, to txt: TXTRecord) throws(AvahiError) {
    guard let service = registration.service else { return }
    if registration.isAssured {
      let instance = ServiceInstance(registration.name, type: service.type, domain: registration.domain)
      guard let record = try? CustomRecord(text: txt, of: instance) else { throw AvahiError(CInt(AVAHI_ERR_INVALID_RECORD)) }
      return try check(add(record, AVAHI_PUBLISH_UPDATE, at: place))
    }
    let result = txt.withStringList { txt in
      avahi_entry_group_update_service_txt_strlst(
        group, place.interface, place.family, AVAHI_PUBLISH_NO_COOKIE,
        registration.name.text, service.type.dnsText, registration.domain.text, txt)
    }
    try check(result)
  }

  private func check(_ result: CInt) throws(AvahiError) {
    guard result == AVAHI_OK else { throw AvahiError(result) }
  }

  private func changed(_ state: AvahiEntryGroupState) {
    switch state {
    case AVAHI_ENTRY_GROUP_ESTABLISHED: stateChanged(self, .established)
    case AVAHI_ENTRY_GROUP_COLLISION: stateChanged(self, .collision)
    case AVAHI_ENTRY_GROUP_FAILURE: stateChanged(self, .failed(connection.error))
    default: return  // uncommitted or registering: no result yet
    }
  }
}
#endif
