import CBonjourishLinux
import Testing
import _BonjourishEventLoop

struct OwnedDescriptorTests {
  /// An owner whose initialiser throws when all of its properties are set, so that it is deinitialised.
  private final class Owner {
    private let descriptor: OwnedDescriptor

    init(_ number: CInt, fails: Bool) throws(SystemError) {
      descriptor = OwnedDescriptor(number)
      if fails { throw SystemError("bind", errno: EADDRINUSE) }
    }
  }

  private let ends: [CInt]

  init() throws {
    var ends: [CInt] = [0, 0]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    self.ends = ends
  }

  /// Whether the second end is closed. Closes the first.
  private func isClosed() -> Bool {
    defer { close(ends[0]) }
    var byte: UInt8 = 0
    return read(ends[0], &byte, 1) == 0
  }

  @Test func `a descriptor is open as long as its owner`() throws {
    var owner: Owner? = try Owner(ends[1], fails: false)
    let error = #expect(throws: SystemError.self) {
      var byte: UInt8 = 0
      try systemCall("read") { read(ends[0], &byte, 1) }
    }
    #expect(error?.errno == EAGAIN)
    withExtendedLifetime(owner) {}
    owner = nil
    #expect(isClosed())
  }

  @Test func `an owner whose initialiser throws has closed its descriptor`() throws {
    #expect(throws: SystemError.self) { try Owner(ends[1], fails: true) }
    #expect(isClosed())
  }
}
