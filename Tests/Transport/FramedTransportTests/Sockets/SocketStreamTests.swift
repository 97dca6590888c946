import CBonjourishLinux
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct SocketStreamTests {
  /// Reads at most so many bytes whenever there is something to read, up to the end.
  private final class Reading {
    private let stream: SocketStream
    private let most: Int
    private let completion: ([UInt8]) -> Void
    private var bytes: [UInt8] = []

    init(_ stream: SocketStream, atMost most: Int, _ completion: @escaping ([UInt8]) -> Void) throws {
      self.stream = stream
      self.most = most
      self.completion = completion
      try stream.start(.readable) { _ in self.read() }
    }

    private func read() {
      var count = 0
      do throws(SystemError) {
        try bytes.append(addingCapacity: most) { (output) throws(SystemError) in count = try stream.receive(into: &output) }
      } catch  where error.errno == EAGAIN {
        return
      } catch {
        Issue.record(error)
      }
      guard count == 0 else { return }
      stream.close()
      completion(bytes)
    }
  }

  /// The system tells of what comes only once, so each of these is a way to be left waiting for ever.
  @Test(arguments: [0, 1, 63, 64, 65, 128, 20_000], [false, true])
  func `everything is told of up to the end, however little is read at once`(count: Int, isThereBefore: Bool) async throws {
    let listening = try RawSocket()
    try listening.listenForOne()
    let peer = try RawSocket(connectedTo: listening.port)
    let descriptor = try listening.accept()
    let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    if isThereBefore {
      try peer.write(sent)
      try peer.finishSending()
    }
    let loop = try TransportLoop.first(1)[0].loop
    let received = try await withCheckedThrowingContinuation { continuation in
      loop.perform {
        do {
          _ = try Reading(SocketStream(Socket(taking: descriptor), on: loop), atMost: 64) { continuation.resume(returning: $0) }
          guard !isThereBefore else { return }
          try peer.write(sent)
          try peer.finishSending()
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
    #expect(received == sent)
  }

  @Test func `a connection over what cannot be watched is broken from the beginning`() async throws {
    let file = linux_open("/proc/self/status", O_RDONLY | O_CLOEXEC, 0)
    let anywhere = try #require(SocketAddress(numericHost: "127.0.0.1", port: 9))
    let transportLoop = try TransportLoop.first(1)[0]
    let connection = Connection(
      over: SocketStream(Socket(taking: file), on: transportLoop.loop), peer: anywhere, local: anywhere, format: .standard,
      limits: .standard, on: transportLoop)
    for _ in 0..<2 {
      let error = await #expect(throws: TransportError.self) { try await connection.next() }
      #expect(
        error?.code == .notPermitted && error?.message.hasPrefix("Watching the connection with 127.0.0.1:9 failed") == true)
    }
    #expect(connection.failure?.code == .notPermitted)
    #expect(throws: TransportError.self) { try connection.trySend([1]) }
  }
}
