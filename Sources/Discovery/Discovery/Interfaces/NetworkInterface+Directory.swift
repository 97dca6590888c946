extension NetworkInterface {
  /// What stands for a directory in links: it is no interface of the kernel, whose names have no colon.
  ///
  /// - Parameter region: The part of the directory.
  package static func directory(_ region: String) -> NetworkInterface {
    NetworkInterface(index: .max, name: prefix + region)
  }

  /// Whether it stands for a directory, which finds services beyond the local network.
  public var isDirectory: Bool { region != nil }

  /// The part of the directory that it stands for; nil for an interface.
  public var region: String? {
    index == .max && Self.isNameOfDirectory(name) ? String(name.dropFirst(Self.prefix.count)) : nil
  }

  /// Whether a name or a pattern stands for directories only.
  static func isNameOfDirectory(_ name: String) -> Bool { name.hasPrefix(prefix) }

  private static let prefix = "directory:"
}
