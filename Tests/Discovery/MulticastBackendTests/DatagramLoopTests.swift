import CBonjourishLinux
import Testing
import _BonjourishEventLoop

@testable import _BonjourishMulticastBackend

struct DatagramLoopTests {
  private let loop = DatagramLoop(callLimit: 100, failureLimit: 4)

  /// Runs the loop over a script, whose last line is repeated.
  private func run(_ script: [Result<Received<Int>, SystemError>]) -> (calls: Int, datagrams: [Int], error: SystemError?) {
    var calls = 0
    var datagrams: [Int] = []
    do throws(SystemError) {
      try loop.run { () throws(SystemError) in
        calls += 1
        return try script[min(calls, script.count) - 1].get()
      } _: {
        datagrams.append($0)
      }
      return (calls, datagrams, nil)
    } catch {
      return (calls, datagrams, error)
    }
  }

  private func failure(_ errno: CInt) -> Result<Received<Int>, SystemError> { .failure(SystemError("recvmsg", errno: errno)) }

  @Test(arguments: [ENOTSOCK, EBADF, ENOMEM, EIO]) func `an error that lasts breaks the socket`(errno: CInt) {
    let (calls, datagrams, error) = run([.success(.datagram(1)), failure(errno)])
    #expect(calls == 5)
    #expect(datagrams == [1])
    #expect(error?.errno == errno)
  }

  @Test func `an error that is reported once does not concern the next datagram`() {
    let refused = failure(ECONNREFUSED)
    let (calls, datagrams, error) = run([
      refused, .success(.datagram(1)), refused, refused, refused, .success(.datagram(2)), refused, .success(.nothing),
    ])
    #expect(calls == 8)
    #expect(datagrams == [1, 2])
    #expect(error == nil)
  }

  @Test func `unusable datagrams count towards the limit of a tick`() {
    #expect(run([.success(.unusable)]).calls == 100)
    #expect(run([.success(.datagram(7))]).datagrams == Array(repeating: 7, count: 100))
  }

  @Test func `the loop ends when there is nothing more`() {
    let (calls, datagrams, error) = run([.success(.datagram(1)), failure(EAGAIN)])
    #expect(calls == 2)
    #expect(datagrams == [1])
    #expect(error == nil)
  }

  @Test func `by default a tick takes 256 datagrams, and a socket is given up after 16 failures`() {
    var calls = 0
    try? DatagramLoop().run { () throws(SystemError) -> Received<Int> in
      calls += 1
      return .unusable
    } _: { _ in
    }
    #expect(calls == 256)
    #expect(throws: SystemError.self) {
      try DatagramLoop().run { () throws(SystemError) -> Received<Int> in
        calls += 1
        throw SystemError("recvmsg", errno: EIO)
      } _: { _ in
      }
    }
    #expect(calls == 256 + 16)
  }
}
