#if Avahi
import CAvahi.Client
import Discovery

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
  }

  deinit {
    assert(group == nil, "an Avahi entry group was not freed")
  }

  func free() {
    if let group { avahi_entry_group_free(group) }
    group = nil
  }

  /// Forgets the group without freeing it, because its client is about to free it.
  func forget() {
    group = nil
  }

  func add(_ registration: Registration, on interface: AvahiIfIndex) throws(AvahiError) {
    let result = registration.txt.withStringList { txt in
      avahi_entry_group_add_service_strlst(
        group, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0),
        registration.name.text, registration.type.description, registration.domain.text, nil, registration.port, txt)
    }
    guard result == AVAHI_OK else { throw AvahiError(result) }
    for subtype in registration.subtypeNames {
      let result = avahi_entry_group_add_service_subtype(
        group, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0),
        registration.name.text, registration.type.description, registration.domain.text, subtype)
      guard result == AVAHI_OK else { throw AvahiError(result) }
    }
    let committed = avahi_entry_group_commit(group)
    guard committed == AVAHI_OK else { throw AvahiError(committed) }
  }

  func update(_ registration: Registration, on interface: AvahiIfIndex, to txt: TXTRecord) throws(AvahiError) {
    let result = txt.withStringList { txt in
      avahi_entry_group_update_service_txt_strlst(
        group, interface, AvahiProtocol(AVAHI_PROTO_UNSPEC), AvahiPublishFlags(0),
        registration.name.text, registration.type.description, registration.domain.text, txt)
    }
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
