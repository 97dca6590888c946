import Bonjourish
import Foundation
import Testing

/// Each test is a process of its own, because the environment belongs to the process.
@Suite(.timeLimit(.minutes(1)))
struct EnvironmentTests {
  @Test func `a wrong backend in the environment is an error that names the right ones`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      setenv("BONJOURISH_BACKEND", "buildin", 1)
      do throws(DiscoveryError) {
        _ = try await Bonjour()
      } catch {
        let message = """
          the environment variable BONJOURISH_BACKEND is "buildin", which is no backend; set it to auto, avahi or builtin, or unset it
          """
        exit(error.code == .invalidBackend && error.message == message ? 7 : 1)
      }
    }
  }

  @Test func `the environment chooses the backend unless the configuration does`() async {
    await #expect(processExitsWith: .exitCode(7)) {
      setenv("BONJOURISH_BACKEND", "avahi", 1)
      guard try Bonjour.Configuration().chosenBackend() == .avahi else { exit(1) }
      setenv("BONJOURISH_BACKEND", "buildin", 1)
      guard try Bonjour.Configuration(backend: .builtin).chosenBackend() == .builtin else { exit(2) }
      setenv("BONJOURISH_BACKEND", "", 1)
      guard try Bonjour.Configuration().chosenBackend() == .auto else { exit(3) }
      unsetenv("BONJOURISH_BACKEND")
      exit(try Bonjour.Configuration().chosenBackend() == .auto ? 7 : 4)
    }
  }
}
