extension NetworkInterface {
  /// What stands for a directory in links: it is no interface of the kernel, whose names have no colon.
  ///
  /// - Parameter region: The part of the directory.
  package static func directory(_ region: String) -> NetworkInterface {
    NetworkInterface(index: .max, name: "directory:\(region)")
  }

  /// Whether it stands for a directory, which finds services beyond the local network.
  public var isDirectory: Bool { index == .max && name.hasPrefix("directory:") }
}
