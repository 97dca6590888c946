import _BonjourishEventLoop

/// Runs something that blocks on a thread of its own, away from those that tasks share.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    startThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
