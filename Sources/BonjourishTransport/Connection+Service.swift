public import Bonjourish
public import FramedTransport

extension Connection {
  /// Connects to where a service was found: to the first of its addresses that answers (RFC 8305).
  ///
  /// An endpoint is for now. What was found a while ago is better connected to by its name, with
  /// ``connect(to:using:interface:format:limits:within:on:)``.
  ///
  /// - Parameters:
  ///   - endpoint: What a browser or a resolver said.
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, when the peer has to, and what is too slow.
  ///   - limit: How long it may take altogether.
  ///   - loops: What the connection may live on.
  /// - Throws: What `connect(to:format:limits:within:on:)` for addresses throws.
  public static func connect(
    to endpoint: Endpoint, format: FrameFormat = .standard, limits: TransportLimits = .patient,
    within limit: Duration = .seconds(10), on loops: TransportLoops = .one
  ) async throws(TransportError) -> Connection {
    try await connect(to: endpoint.socketAddresses, format: format, limits: limits, within: limit, on: loops)
  }

  /// Finds out where a service is, and connects to the first of its addresses that answers.
  ///
  /// That a service was seen does not mean that it is still there: the record of one that vanished without a goodbye stays
  /// known for up to 75 minutes. So when none of the addresses answers, discovery is told to look whether it is, and browsers
  /// lose one that is not within ten seconds (RFC 6762 §10.4, ``Bonjour/reconfirm(_:on:)``).
  ///
  /// - Parameters:
  ///   - instance: The service. It need not have been seen by a browser.
  ///   - bonjour: What to look it up with.
  ///   - interface: The only interface to look on; nil for all.
  ///   - format: The shape of the frames in both directions.
  ///   - limits: When `send` suspends, when the peer has to, and what is too slow.
  ///   - limit: How long it may take altogether; when looking takes most of that, connecting has a second all the same.
  ///   - loops: What the connection may live on.
  /// - Throws: ``ServiceConnectionError`` with code `unresolved` when nobody says where the service is, `unreachable` when
  ///   it is not there, or `cancelled`.
  public static func connect(
    to instance: ServiceInstance, using bonjour: Bonjour, interface: NetworkInterface? = nil,
    format: FrameFormat = .standard, limits: TransportLimits = .patient, within limit: Duration = .seconds(5),
    on loops: TransportLoops = .one
  ) async throws(ServiceConnectionError) -> Connection {
    let began = ContinuousClock.now
    let endpoint: Endpoint
    do throws(DiscoveryError) {
      endpoint = try await bonjour.resolve(instance, on: interface, within: limit)
    } catch {
      throw ServiceConnectionError(instance, unresolved: error)
    }
    do throws(TransportError) {
      let left = max(.seconds(1), limit - (ContinuousClock.now - began))
      return try await connect(to: endpoint, format: format, limits: limits, within: left, on: loops)
    } catch {
      let error = ServiceConnectionError(instance, unreachable: error)
      // A ghost, maybe: whoever can, finds out.
      if error.code == .unreachable { bonjour.reconfirm(instance, on: interface) }
      throw error
    }
  }
}
