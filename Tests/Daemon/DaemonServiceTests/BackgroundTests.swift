import CBonjourishLinux
import TestSupport
import Testing
import _BonjourishDaemonService
import _BonjourishEventLoop

/// Each test is a process of its own, which goes on in the background.
@Suite(.timeLimit(.minutes(1))) struct BackgroundTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Whether a descriptor leads to `/dev/null`.
  private static func isNull(_ descriptor: CInt) -> Bool {
    var (one, null) = (stat(), stat())
    return fstat(descriptor, &one) == 0 && stat("/dev/null", &null) == 0 && one.st_rdev == null.st_rdev
  }

  @Test func `the process in the foreground ends without an error once the other is ready, which leaves its terminal`()
    async throws
  {
    let path = folder.path + "/report"
    await #expect(processExitsWith: .success) { [path = path as String] in
      let file = linux_open("/proc/self/exe", O_RDONLY, 0)
      for descriptor in STDIN_FILENO...STDERR_FILENO { dup2(file, descriptor) }
      let session = getsid(0)
      let background = try Background()
      let had = (0...2).contains { BackgroundTests.isNull($0) }
      background.becomeReady()
      var folder = [CChar](repeating: 0, count: 100)
      getcwd(&folder, folder.count)
      let findings = [
        !had, (0...2).allSatisfy { BackgroundTests.isNull($0) }, getsid(0) == getpid(), getsid(0) != session,
        folder.prefix { $0 != 0 } == [CChar(UInt8(ascii: "/"))],
      ]
      let text = findings.map { UInt8(ascii: $0 ? "y" : "n") } + Array(".".utf8)
      let report = linux_open(path, O_WRONLY | O_CREAT, 0o600)
      write(report, text, text.count)
      close(report)
      _exit(7)
    }
    // The other process has nothing to do with this one.
    try await folder.until("report", contains: ".")
    #expect(try readFile(path, upTo: 100) == Array("yyyyy.".utf8))
  }

  @Test func `a process in the background that ends before it is ready is a failure of the one in the foreground`() async {
    await #expect(processExitsWith: .exitCode(1)) {
      let background = try Background()
      withExtendedLifetime(background) {}
      _exit(0)
    }
  }
}
