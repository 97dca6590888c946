import CBonjourishLinux

/// Lists the names in a folder, without `.` and `..`, in the order of the file system. Bytes that are not UTF-8 are replaced.
///
/// A name that comes or goes meanwhile may be missing.
///
/// - Throws: ``SystemError`` if the folder cannot be opened.
package func listFolder(_ path: String) throws(SystemError) -> [String] {
  guard let folder = opendir(path) else { throw SystemError("opendir", errno: linux_errno()) }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = entryName(of: entry)
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// The name in an entry.
///
/// The kernel's entries are as long as their names need, and the last one may end with its page. So the name is read where it is: a copy
/// of the whole `dirent` would read beyond the entry.
func entryName(of entry: UnsafePointer<dirent>) -> String {
  let offset = MemoryLayout<dirent>.offset(of: \.d_name)!
  return String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self))
}
