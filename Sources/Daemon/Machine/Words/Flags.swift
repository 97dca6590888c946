/// How something is looked up.
struct LookupFlags: OptionSet {
  let rawValue: UInt32

  static let useWideArea = LookupFlags(rawValue: 1)
  static let useMulticast = LookupFlags(rawValue: 2)
  static let noText = LookupFlags(rawValue: 4)
  static let noAddress = LookupFlags(rawValue: 8)

  /// Checks flags that a client gave.
  ///
  /// - Parameter more: Those that are valid besides the two that choose how to ask.
  init(checking rawValue: UInt32, allowing more: LookupFlags = []) throws(CallFailure) {
    self.init(rawValue: rawValue)
    guard subtracting([.useWideArea, .useMulticast]).isSubset(of: more), !isSuperset(of: [.useWideArea, .useMulticast]) else {
      throw .avahi(.invalidFlags)
    }
    guard !contains(.useWideArea) else { throw .avahi(.notSupported) }
  }

  init(rawValue: UInt32) { self.rawValue = rawValue }
}

/// How something is published.
struct PublishFlags: OptionSet, Hashable {
  let rawValue: UInt32

  static let unique = PublishFlags(rawValue: 1)
  static let noProbe = PublishFlags(rawValue: 2)
  static let noAnnounce = PublishFlags(rawValue: 4)
  static let allowMultiple = PublishFlags(rawValue: 8)
  static let noReverse = PublishFlags(rawValue: 16)
  static let noCookie = PublishFlags(rawValue: 32)
  static let update = PublishFlags(rawValue: 64)
  static let useWideArea = PublishFlags(rawValue: 128)
  static let useMulticast = PublishFlags(rawValue: 256)

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Checks flags that a client gave. Those that contradict each other are refused before anything is done with them.
  init(checking rawValue: UInt32, allowing more: PublishFlags) throws(CallFailure) {
    self.init(rawValue: rawValue)
    guard subtracting([.useWideArea, .useMulticast]).isSubset(of: more), !isSuperset(of: [.useWideArea, .useMulticast]) else {
      throw .avahi(.invalidFlags)
    }
    guard !contains(.useWideArea) else { throw .avahi(.notSupported) }
  }
}

/// What is known of a result.
struct ResultFlags: OptionSet, Hashable {
  let rawValue: UInt32

  static let cached = ResultFlags(rawValue: 1)
  static let multicast = ResultFlags(rawValue: 4)
  static let local = ResultFlags(rawValue: 8)
  static let ourOwn = ResultFlags(rawValue: 16)
  static let configured = ResultFlags(rawValue: 32)
}
