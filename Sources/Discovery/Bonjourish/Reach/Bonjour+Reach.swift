import _BonjourishDiscovery

extension Bonjour {
  /// Follows where operations with some interfaces reach the network for as long as a closure runs.
  ///
  /// - Parameters:
  ///   - interfaces: The interfaces of the operations.
  ///   - body: The closure. Its argument begins with the reach as it is.
  /// - Returns: The closure's result.
  /// - Throws: The closure's error.
  package func withReach<Result>(
    of interfaces: InterfaceSelection, _ body: (ReachChanges) async throws -> Result
  ) async rethrows -> Result {
    let follower = ReachFollower(interfaces, on: backend)
    do {
      let result = try await body(ReachChanges(follower: follower))
      await follower.stop()
      return result
    } catch {
      await follower.stop()
      throw error
    }
  }
}
