import CBonjourishLinux
import FramedCoding
import FramedTransport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedWebSockets

/// The layer between a channel and a stream below that the test plays: each byte, and when each end is told.
@Suite(.timeLimit(.minutes(1))) struct PlayedStreamTests {
  // MARK: - Sending

  @Test(arguments: [0, 1, 125, 126, 8_191, 8_192, 20_000], [3, 1_000, 9_000])
  func `a server's frames are whole however little room there is`(size: Int, step: Int) async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
      let frames = framed(body) + framed([7])
      var taken = 0
      while taken < frames.count {
        web.lower.room = step
        web.lower.tell(.writable)
        taken += max(0, web.send(Array(frames[taken...])))
      }
      web.lower.room = .max
      web.lower.tell(.writable)
      #expect(web.lower.takeSent() == unmasked(0x82, body) + [0x82, 1, 7])
    }
  }

  @Test func `a client masks each frame with a number of its own`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.client(on: transportLoop)
      defer { web.stream.reset() }
      // Enough for several draws of masks; then those that are put together in other ways.
      var bodies: [[UInt8]] = (0..<200).map { [UInt8($0)] }
      for size in [0, 125, 126, 200] { bodies.append([UInt8](repeating: 3, count: size)) }
      for body in bodies { #expect(web.send(framed(body)) == 4 + body.count) }
      let frames = try SentFrame.all(web.lower.takeSent())
      #expect(frames.map(\.payload) == bodies && frames.allSatisfy { $0.first == 0x82 })
      #expect(Set(frames.map(\.mask)).count > 200)
    }
  }

  @Test func `a client's frame that leaves in parts is masked as one`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.client(on: transportLoop)
      defer { web.stream.reset() }
      let body = (0..<20_000).map { UInt8(truncatingIfNeeded: $0) }
      let frames = framed(body)
      // The channel gives it in parts, too, which do not end where the mask does.
      var taken = 0
      while taken < frames.count {
        web.lower.room = 1_001
        web.lower.tell(.writable)
        taken += max(0, web.send(Array(frames[taken..<min(taken + 777, frames.count)])))
      }
      web.lower.room = .max
      web.lower.tell(.writable)
      #expect(try SentFrame.all(web.lower.takeSent()).map(\.payload) == [body])
    }
  }

  @Test func `after an error below nothing is sent any more, and what has come is read`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      web.lower.refusal = EPIPE
      #expect(web.send(framed([1])) == -Int(EPIPE))
      web.lower.refusal = nil
      #expect(web.send(framed([1])) == -Int(EPIPE) && web.stream.ready.contains(.writable))
      web.lower.arrive(masked(0x82, [5]))
      #expect(web.receive() == .bytes(framed([5])) && web.lower.takeSent().isEmpty)
    }
  }

  // MARK: - Pings and heartbeats

  @Test func `a pong leaves as soon as there is room, also if the app sends nothing more`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      web.lower.room = 0
      #expect(web.send(framed([1])) == 5)
      try web.stream.update(.readable)
      #expect(web.lower.interest == [.readable, .writable])
      web.lower.arrive(masked(0x89, [1, 2]))
      #expect(web.receive() == .error(EAGAIN))
      web.lower.room = .max
      web.lower.tell(.writable)
      #expect(web.lower.takeSent() == [0x82, 1, 1] + [0x8A, 2, 1, 2] && web.lower.interest == .readable)
    }
  }

  @Test func `a pong waits for the end of a frame that has left in part`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      let body = [UInt8](repeating: 3, count: 20_000)
      let frames = framed(body) + framed([7])
      web.lower.room = 10_000
      #expect(web.send(frames) == 10_000)
      web.lower.arrive(masked(0x89, [5]))
      #expect(web.receive() == .error(EAGAIN) && web.lower.sent.count == 10_000)
      web.lower.room = .max
      #expect(web.send(Array(frames[10_000...])) == frames.count - 10_000)
      #expect(web.lower.takeSent() == unmasked(0x82, body) + [0x8A, 1, 5] + [0x82, 1, 7])
    }
  }

  @Test func `a client's pong is masked`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.client(on: transportLoop)
      defer { web.stream.reset() }
      web.lower.arrive(unmasked(0x89, [1, 2]))
      #expect(web.receive() == .error(EAGAIN))
      let frames = try SentFrame.all(web.lower.takeSent())
      #expect(frames.count == 1 && frames[0].first == 0x8A && frames[0].payload == [1, 2])
    }
  }

  @Test func `with heartbeats an empty frame is a ping, and pings and pongs are empty frames`() async throws {
    let limits = TransportLimits(
      frameTime: nil, stallTime: nil, keepAlive: nil, silenceLimit: nil,
      heartbeat: Heartbeat(interval: .seconds(1_000), timeout: .seconds(3_000)))
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(limits: limits, on: transportLoop)
      defer { web.stream.reset() }
      #expect(web.send(framed([])) == 4 && web.lower.takeSent() == [0x89, 0])
      web.lower.arrive(masked(0x89, [5]))
      #expect(web.receive() == .bytes(framed([])) && web.lower.takeSent() == [0x8A, 1, 5])
      web.lower.arrive(masked(0x8A, []))
      #expect(web.receive() == .bytes(framed([])))
      let plain = try PlayedWeb.server(on: transportLoop)
      defer { plain.stream.reset() }
      #expect(plain.send(framed([])) == 4 && plain.lower.takeSent() == [0x82, 0])
      plain.lower.arrive(masked(0x8A, []))
      #expect(plain.receive() == .error(EAGAIN))
    }
  }

  // MARK: - Receiving

  @Test(arguments: [9, 16, 100, 1_000])
  func `what there is no room for is held back, and comes whole and in order`(room: Int) async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      let large: [UInt8] = (0..<200).map { UInt8($0) }
      let frames: [(UInt8, [UInt8])] = [(0x82, []), (0x82, large), (0x89, [1]), (0x02, [1, 2, 3]), (0x80, large), (0x82, [9])]
      web.lower.arrive(frames.flatMap { masked($0, $1) })
      let bodies: [[UInt8]] = [[], large, [1, 2, 3] + large, [9]]
      let expected = bodies.flatMap { framed($0) }
      var received: [UInt8] = []
      for _ in 0..<2_000 where received.count < expected.count {
        if case .bytes(let bytes) = web.receive(room: room) {
          #expect(bytes.count <= room)
          received += bytes
        }
        // In another tick, which has its own budget.
        await Task.yield()
      }
      #expect(received == expected && web.lower.takeSent() == [0x8A, 1, 1])
      #expect(web.receive() == .error(EAGAIN))
    }
  }

  @Test func `what comes with a server's answer is read after it`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.client(following: unmasked(0x82, [5]) + unmasked(0x82, [6]), on: transportLoop)
      defer { web.stream.reset() }
      #expect(web.stream.ready.contains(.readable))
      #expect(web.receive() == .bytes(framed([5]) + framed([6])))
      let details = try #require((web.stream.facts as? WebFacts)?.details)
      #expect(details == WebDetails(target: "/s", host: "h", origin: nil, subprotocol: nil))
    }
  }

  @Test func `the stream below is waited for while there is something to do with it`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      #expect(web.lower.interest == .readable && web.stream.ready == .writable)
      try web.stream.update([])
      #expect(web.lower.interest == [])
      try web.stream.update(.readable)
      web.lower.arrive(masked(0x82, [UInt8](repeating: 7, count: 100)))
      // A header more than there is room for.
      #expect(web.receive(room: 16) != .error(EAGAIN) && web.stream.costOfReceiving == 30)
      // Nothing more is received while bytes are held back.
      #expect(web.stream.ready.contains(.readable) && web.lower.interest == [])
    }
  }

  @Test(arguments: [(5, 65_536), (100, 5)])
  func `the largest frame that is permitted is that of the format at most`(permitted: Int, format: Int) async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(format: FrameFormat(maximumBodySize: format), on: transportLoop)
      defer { web.stream.reset() }
      web.stream.permit(largestFrame: permitted)
      let five = [UInt8](repeating: 7, count: 5)
      web.lower.arrive(masked(0x82, five))
      #expect(web.receive(room: 100) == .bytes(framed(five)))
      web.lower.arrive(masked(0x82, five + [7]))
      #expect(web.receive(room: 100) == .error(EAGAIN))
      let reason = "a message has 6 bytes or more, and 5 are permitted"
      #expect(web.lower.takeSent() == unmasked(0x88, [0x03, 0xF1] + Array(reason.utf8)))
    }
  }

  // MARK: - Ends

  @Test func `a side that ends before a request has come ends the stream below once`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb(.server(WebSite()), on: transportLoop)
      #expect(web.lower.interest == .readable && web.outcomes.isEmpty)
      for _ in 0..<2 { try web.stream.finishSending() }
      #expect(web.lower.ends == ["finished"])
      web.stream.close()
      #expect(web.lower.ends == ["finished", "closed"] && web.outcomes == [.closed])
    }
  }

  @Test func `an end is complete when both sides have said so`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      web.lower.unacknowledged = 100
      #expect(web.stream.countUnacknowledgedBytes() == 101)
      web.lower.room = 0
      try web.stream.finishSending()
      #expect(web.stream.countUnacknowledgedBytes() == 105 && web.lower.interest == [.readable, .writable])
      web.lower.room = .max
      web.lower.tell(.writable)
      #expect(web.lower.takeSent() == [0x88, 2, 0x03, 0xE8] && web.lower.ends.isEmpty)
      #expect(web.stream.countUnacknowledgedBytes() == 101 && web.lower.interest == .readable)
      web.lower.arrive(masked(0x88, [0x03, 0xE8]))
      #expect(web.receive() == .end && web.lower.ends == ["finished"])
      #expect(web.stream.countUnacknowledgedBytes() == 100 && web.lower.takeSent().isEmpty)
      #expect(web.stream.failure == nil)
      web.stream.close()
      #expect(web.lower.ends == ["finished", "closed"])
    }
  }

  @Test func `a client's closing frame is masked, and has the app's reason`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.client(on: transportLoop)
      web.stream.webFacts.setCloseToSend(WebSocketClose(.policyViolation, "why"))
      try web.stream.finishSending()
      let frames = try SentFrame.all(web.lower.takeSent())
      #expect(frames.count == 1 && frames[0].first == 0x88 && frames[0].payload == [0x03, 0xF0] + Array("why".utf8))
      web.stream.close()
      #expect(web.lower.ends == ["closed"])
    }
  }

  @Test func `a stream that is closed while bytes wait resets the one below`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      web.lower.room = 0
      #expect(web.send(framed([1])) == 5 && web.send(framed([1])) == -Int(EAGAIN))
      web.stream.close()
      #expect(web.lower.ends == ["reset"])
    }
  }

  @Test func `a violation is answered, and the stream fails when the peer has read why`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      web.lower.arrive([0x82, 0])
      #expect(web.receive() == .error(EAGAIN) && web.stream.failure == nil)
      let reason = "a client's frame is not masked"
      #expect(web.lower.takeSent() == unmasked(0x88, [0x03, 0xEA] + Array(reason.utf8)))
      #expect(web.lower.ends == ["finished"] && web.lower.interest == .readable)
      // What still comes is dropped.
      web.lower.arrive(masked(0x82, [1]))
      #expect(web.stream.failure == nil)
      web.lower.end()
      #expect(web.stream.failure?.code == .malformedFrame && web.receive() == .error(EPROTO))
      #expect(web.send(framed([1])) == -Int(EPROTO) && web.lower.interest == [])
    }
  }

  @Test func `nothing is said of a violation in the middle of a frame`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb.server(on: transportLoop)
      defer { web.stream.reset() }
      web.lower.room = 10_000
      #expect(web.send(framed([UInt8](repeating: 3, count: 20_000))) == 10_000)
      web.lower.room = .max
      web.lower.arrive([0x82, 0])
      #expect(web.receive() == .error(EAGAIN))
      #expect(web.lower.sent.count == 10_000 && web.lower.ends == ["finished"])
    }
  }

  @Test func `an answer leaves whole before the connection ends, also if the client has ended its side`() async throws {
    try await onLoop { transportLoop in
      let site = WebSite(files: ["/": WebFile("text/plain", "whole")])
      let web = try PlayedWeb(.server(site), on: transportLoop)
      web.lower.room = 10
      web.lower.arrive(Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      #expect(web.lower.sent == Array("HTTP/1.1 2".utf8) && web.lower.interest == [.readable, .writable])
      web.lower.end()
      #expect(web.lower.ends.isEmpty && web.stream.failure == nil)
      web.lower.room = .max
      web.lower.tell(.writable)
      #expect(String(decoding: web.lower.takeSent(), as: UTF8.self).hasSuffix("\r\n\r\nwhole"))
      #expect(web.lower.ends == ["finished"] && web.stream.failure?.code == .answered)
      web.stream.close()
      #expect(web.outcomes == [.answered])
    }
  }

  @Test func `a native peer's stream is the one below`() async throws {
    try await onLoop { transportLoop in
      let web = try PlayedWeb(.server(WebSite()), on: transportLoop)
      web.lower.unacknowledged = 3
      web.lower.arrive([0, 0, 0, 1, 7])
      #expect(web.outcomes == [nil] && web.stream.ready == .readable && web.lower.interest == .writable)
      #expect(web.receive(room: 4) == .bytes([0, 0, 0, 1]) && web.receive() == .bytes([7]))
      #expect(web.stream.ready == [] && web.lower.interest == [.readable, .writable])
      #expect(web.send([1, 2, 3]) == 3 && web.lower.takeSent() == [1, 2, 3])
      #expect(web.stream.countUnacknowledgedBytes() == 3 && web.stream.costOfReceiving == 0)
      try web.stream.finishSending()
      web.lower.end()
      #expect(web.receive() == .end && web.lower.ends == ["finished"])
      web.stream.close()
      #expect(web.lower.ends == ["finished", "closed"])
    }
  }
}
