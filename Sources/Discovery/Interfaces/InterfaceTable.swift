import CBonjourishLinux

/// The names and indices of this machine's network interfaces, from the kernel.
package enum InterfaceTable {
  /// The name of an interface; nil when no interface has this index.
  package static func name(of index: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(index, buffer.baseAddress).map { String(cString: $0) }
    }
  }

  /// The index of an interface; nil when no interface has this name.
  package static func index(of name: String) -> UInt32? {
    let index = if_nametoindex(name)
    return index == 0 ? nil : index
  }
}
