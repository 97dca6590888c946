/// What a browser knows of one instance.
public struct DiscoveredService: Hashable, Sendable, Identifiable {
  public let instance: ServiceInstance
  /// The interfaces that it is seen on, in the order of their numbers.
  public var interfaces: [NetworkInterface]
  /// Where it is and what it says of itself; nil when the browser does not resolve, or nobody has answered so far.
  public var endpoint: Endpoint?

  public init(instance: ServiceInstance, interfaces: [NetworkInterface], endpoint: Endpoint? = nil) {
    self.instance = instance
    self.interfaces = interfaces
    self.endpoint = endpoint
  }

  public var id: ServiceInstance { instance }
}
