#if Avahi
import CBonjourishAvahi.Common
import _BonjourishDiscovery

extension TXTRecord {
  /// Calls a closure with the record as Avahi's string list; nil for an empty record.
  func withStringList<Result>(_ body: (UnsafeMutablePointer<AvahiStringList>?) -> Result) -> Result {
    var list: UnsafeMutablePointer<AvahiStringList>?
    // Each call puts its string in front of the others. Version 0.8 of the daemon sends the list in reverse, which restores
    // the order.
    for string in strings {
      list = string.withUnsafeBufferPointer { avahi_string_list_add_arbitrary(list, $0.baseAddress, $0.count) }
    }
    defer { avahi_string_list_free(list) }
    return body(list)
  }
}
#endif
