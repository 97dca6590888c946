import CLinux

/// The kernel's names and numbers of this machine's network interfaces.
package enum InterfaceTable {
  /// The name of an interface; nil when there is none of this number.
  package static func name(of index: UInt32) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(IF_NAMESIZE)) { buffer in
      if_indextoname(index, buffer.baseAddress).map { String(cString: $0) }
    }
  }

  /// The number of an interface; nil when there is none of this name.
  package static func index(of name: String) -> UInt32? {
    let index = if_nametoindex(name)
    return index == 0 ? nil : index
  }
}
