import CBonjourishLinux
import CBonjourishNATS
import Testing

@testable import BonjourishDirectory

@Suite struct ExitTests {
  /// Begins to use OpenSSL, which refuses it once it has freed what it needs.
  private static let initializeOpenSSL = dlsym(nil, "OPENSSL_init_crypto").map {
    unsafeBitCast($0, to: (@convention(c) (UInt64, UnsafeRawPointer?) -> CInt).self)
  }

  @Test func `OpenSSL is there for the library's threads until the process has ended`() async {
    // In a process of its own, for it has to end.
    await #expect(processExitsWith: .success) {
      // Runs after what is registered later.
      atexit { _exit(ExitTests.initializeOpenSSL?(0, nil) == 1 ? EXIT_SUCCESS : EXIT_FAILURE) }
      let settings = try DirectorySettings(DirectoryConfiguration(servers: ["tls://127.0.0.1:1"]))
      _ = try NATSOptions(settings, listener: 0)
      exit(EXIT_SUCCESS)
    }
  }
}
