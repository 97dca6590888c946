import Bonjourish
import BonjourishDirectory
import Foundation
import TestSupport
import Testing

/// Programs that own values, and a real server.
@Suite(.timeLimit(.minutes(2))) struct OwnedValuesTests {
  private static let quick = {
    var configuration = OwnedValues.Configuration()
    configuration.lease = .seconds(3)
    return configuration
  }()

  @Test func `of two programs that create a value one owns it`() async throws {
    let server = try await NATSServer()
    let (one, other) = (try await Bonjour(server), try await Bonjour(server))
    try await one.withOwnedValues(Self.quick) { first in
      try await other.withOwnedValues(Self.quick) { second in
        var changes = (first.changes.makeAsyncIterator(), second.changes.makeAsyncIterator())
        try first.put("m", [1], version: 1)
        try second.put("m", [2], version: 1)
        let outcomes = [await changes.0.next(), await changes.1.next()]
        #expect(outcomes.contains(.owned("m", stored: 1)))
        #expect(outcomes.contains(.lost("m")))
      }
    }
  }

  @Test func `what a program leaves is offered to others at once, and one of them takes it`() async throws {
    let server = try await NATSServer()
    let (one, other, third) = (try await Bonjour(server), try await Bonjour(server), try await Bonjour(server))
    try await other.withOwnedValues(Self.quick) { second in
      try await third.withOwnedValues(Self.quick) { other in
        try await one.withOwnedValues(Self.quick) { first in
          var changes = first.changes.makeAsyncIterator()
          try first.put("m", [1], version: 1)
          #expect(await changes.next() == .owned("m", stored: 1))
          try first.put("m", [2, 3], version: 2)
        }
        let end = ContinuousClock.now
        var changes = (second.changes.makeAsyncIterator(), other.changes.makeAsyncIterator())
        // Both are offered it before one takes it: what was taken is not offered any more.
        for change in [await changes.0.next(), await changes.1.next()] {
          guard case .orphaned(let orphan)? = change else { throw Surprise() }
          #expect(orphan.bytes == [2, 3])
        }
        second.take("m")
        other.take("m")
        let outcomes = [await changes.0.next(), await changes.1.next()]
        print("taken \(ContinuousClock.now - end) after the end of the owner")
        #expect(outcomes.contains(.owned("m", stored: 0)))
        #expect(outcomes.contains(.lost("m")))
        #expect(ContinuousClock.now - end < .seconds(3))
      }
    }
  }

  @Test func `a value that is left to others is offered again when that is asked for`() async throws {
    let server = try await NATSServer()
    let (one, other) = (try await Bonjour(server), try await Bonjour(server))
    try await other.withOwnedValues(Self.quick) { second in
      try await one.withOwnedValues(Self.quick) { first in
        var changes = first.changes.makeAsyncIterator()
        try first.put("m", [1], version: 1)
        #expect(await changes.next() == .owned("m", stored: 1))
      }
      var changes = second.changes.makeAsyncIterator()
      guard case .orphaned(let orphan)? = await changes.next() else { throw Surprise() }
      second.ignore("m")
      second.take("m")
      #expect(await changes.next() == .lost("m"))
      second.reconsider("m")
      #expect(await changes.next() == .orphaned(orphan))
    }
  }

  @Test func `an owner that is cut off stops before another takes over, and finds out when it is back`() async throws {
    let server = try await NATSServer()
    let proxy = try await Proxy(to: server)
    let (one, other) = (try await Bonjour(at: proxy.url), try await Bonjour(server))
    try await one.withOwnedValues(Self.quick) { first in
      try await other.withOwnedValues(Self.quick) { second in
        var changes = (first.changes.makeAsyncIterator(), second.changes.makeAsyncIterator())
        try first.put("m", [1], version: 1)
        #expect(await changes.0.next() == .owned("m", stored: 1))
        proxy.pause()
        #expect(await changes.0.next() == .doubtful("m"))
        let doubtful = ContinuousClock.now
        guard case .orphaned(let orphan)? = await changes.1.next() else { throw Surprise() }
        print("offered \(ContinuousClock.now - doubtful) after the owner had stopped")
        second.take(orphan.name)
        #expect(await changes.1.next() == .owned("m", stored: 0))
        // What the former owner still wants to write does not arrive.
        try first.put("m", [66], version: 2)
        try second.put("m", [2], version: 1)
        #expect(await changes.1.next() == .owned("m", stored: 1))
        proxy.resume()
        #expect(await changes.0.next() == .lost("m"))
        second.release("m")
        guard case .orphaned(let left)? = await changes.1.next() else { throw Surprise() }
        #expect(left.bytes == [2])
      }
    }
  }

  @Test func `a server that is killed and started again has kept the values, and their owners go on`() async throws {
    let server = try await NATSServer()
    let (one, other) = (try await Bonjour(server), try await Bonjour(server))
    try await other.withOwnedValues(Self.quick) { second in
      try await one.withOwnedValues(Self.quick) { first in
        var changes = first.changes.makeAsyncIterator()
        for number in 0..<20 { try first.put("m\(number)", Array(repeating: 1, count: 30_000), version: 1) }
        var stored = 0
        while stored < 20, case .owned? = await changes.next() { stored += 1 }
        server.kill()
        #expect(await changes.next().map { if case .doubtful = $0 { true } else { false } } == true)
        try await server.start()
        var owned: Set<String> = []
        while owned.count < 20, let change = await changes.next() {
          switch change {
          case .owned(let name, let stored):
            #expect(stored == 1)
            owned.insert(name)
          case .doubtful: break
          case .lost, .failed, .orphaned: throw Surprise()
          }
        }
      }
      // Nobody has taken them, although the owner was not heard for longer than its lease.
      var changes = second.changes.makeAsyncIterator()
      guard case .orphaned(let orphan)? = await changes.next() else { throw Surprise() }
      #expect(orphan.bytes.count == 30_000)
    }
  }

  @Test func `a bucket that vanishes is made again, each time, and what is owned is stored there`() async throws {
    let server = try await NATSServer()
    let operators = try StreamOperator(server)
    try await Bonjour(server).withOwnedValues(Self.quick) { values in
      var changes = values.changes.makeAsyncIterator()
      for version in 1...3 as ClosedRange<UInt64> {
        if version > 1 { _ = await operators.ask("$JS.API.STREAM.DELETE.KV_bonjourish-matches") }
        try values.put("m", [1], version: version)
        var isStored = false
        while !isStored {
          switch await changes.next() {
          case .owned("m", let stored)?: isStored = stored == version
          case .doubtful?: break
          case .owned?, .lost?, .failed?, .orphaned?, nil: throw Surprise()
          }
        }
      }
    }
  }

  @Test func `values that are too large, and names that cannot be, are refused with words`() async throws {
    let server = try await NATSServer(settings: "jetstream: enabled\nmax_payload: 65536")
    let bonjour = try await Bonjour(server)
    try await bonjour.withOwnedValues(Self.quick) { values in
      var changes = values.changes.makeAsyncIterator()
      let over = #expect(throws: OwnedValueError.self) {
        try values.put("m", Array(repeating: 0, count: 512 << 10 + 1), version: 1)
      }
      #expect(over?.code == .tooLarge)
      for name in ["", "M", "a.b", "a b", "*", String(repeating: "a", count: 65)] {
        let error = #expect(throws: OwnedValueError.self) { try values.put(name, [], version: 1) }
        #expect(error?.code == .invalidName)
      }
      try values.put("m", Array(repeating: 7, count: 60_000), version: 1)
      #expect(await changes.next() == .owned("m", stored: 1))
      // The server's own limit counts, once it is known.
      let server = #expect(throws: OwnedValueError.self) { try values.put("m", Array(repeating: 7, count: 65_000), version: 2) }
      #expect(server?.code == .tooLarge)
      values.remove("m")
    }
    let local = try await Bonjour(server) { $0.bucket = "bonjourish-matches" }
    let same = await #expect(throws: OwnedValueError.self) { try await local.withOwnedValues { _ in } }
    #expect(same?.code == .invalidConfiguration)
  }
}

/// A program between a client and a server that can be stopped and woken, as a cable can be pulled and put back.
final class Proxy {
  private let process: RunningProgram
  let url: String

  init(to server: NATSServer) async throws {
    let program = """
      import socket, sys, threading
      listener = socket.create_server(("127.0.0.1", 0))
      print(listener.getsockname()[1], flush=True)
      def copy(a, b):
          try:
              while data := a.recv(65536): b.sendall(data)
          except OSError: pass
          for s in (a, b):
              try: s.shutdown(socket.SHUT_RDWR)
              except OSError: pass
      while True:
          near = listener.accept()[0]
          far = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
          for pair in ((near, far), (far, near)): threading.Thread(target=copy, args=pair, daemon=True).start()
      """
    process = try RunningProgram("/usr/bin/python3", ["-c", program, "\(server.port)"])
    url = "nats://127.0.0.1:\(try #require(await process.line()))"
  }

  func pause() { process.signal(SIGSTOP) }
  func resume() { process.signal(SIGCONT) }
}

extension Bonjour {
  /// Discovery by the directory at a URL alone.
  convenience init(at url: String) async throws {
    var configuration = DirectoryConfiguration(servers: [url])
    configuration.allowsLoopback = true
    try await self.init(directory: configuration, local: nil)
  }
}
