import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

extension Listener {
  /// Tries to connect; the error, or nil if it succeeds.
  func refusal(_ security: ConnectionSecurity) async -> TransportError? {
    do throws(TransportError) {
      try await reach(security).abort()
      return nil
    } catch {
      return error
    }
  }
}
