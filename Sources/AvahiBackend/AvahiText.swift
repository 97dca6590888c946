import CAvahi.Common
import Discovery

extension ServiceInstance {
  /// The instance's full name in the form that Avahi takes, with Avahi's escapes.
  var avahiName: String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AVAHI_DOMAIN_NAME_MAX)) { buffer in
      let result = avahi_service_name_join(buffer.baseAddress, buffer.count, name.text, type.description, domain.text)
      return result == AVAHI_OK ? String(cString: buffer.baseAddress!) : nil
    }
  }
}

extension TXTRecord {
  /// Calls a closure with the record as Avahi's string list, nil for an empty one.
  func withStringList<Result>(_ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result) -> Result {
    var list: UnsafeMutablePointer<AvahiStringList>?
    // Each call puts a string before the others, and version 0.8 of the daemon sends them back to front.
    for string in strings {
      list = string.withUnsafeBufferPointer { avahi_string_list_add_arbitrary(list, $0.baseAddress, $0.count) }
    }
    defer { avahi_string_list_free(list) }
    return body(list)
  }
}
