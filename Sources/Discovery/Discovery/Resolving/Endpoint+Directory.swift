extension Endpoint {
  /// Whether a directory has told it. The name of its host belongs to the service then, wherever that is.
  public var isOfDirectory: Bool { host.labels.suffix(2).elementsEqual(DomainName.directoryLabels) }
}

extension DomainName {
  /// The end of the names of hosts in a directory. They are no names of DNS (RFC 9476).
  package static let directoryLabels = [Array("directory".utf8), Array("alt".utf8)]
}
