import CBonjourishLinux
import TestSupport
import Testing
import TransportTestSupport

@testable import FramedTransport

@Suite(.timeLimit(.minutes(1))) struct UnixSocketTests {
  /// A directory of the test's own, for the time of a closure.
  private func withDirectory(_ body: (String) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    try await body(folder.path)
  }

  /// A socket made of system calls that is bound to a path, and listens if told so.
  private func rawSocket(at path: String, listening backlog: CInt? = nil) throws -> CInt {
    let descriptor = socket(AF_UNIX, CInt(bitPattern: SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let address = try SocketAddress(unixPath: path)
    try #require(address.withSystemAddress { bind(descriptor, $0, $1) } == 0)
    if let backlog { try #require(listen(descriptor, backlog) == 0) }
    return descriptor
  }

  private func mode(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode : nil
  }

  private func exchange(over listener: Listener) async throws {
    let client = try await Connection.connect(to: listener.addresses)
    try await client.send([1, 2])
    var server = try await listener.accept()
    var (atClient, atServer) = (client.frames.makeAsyncIterator(), server.frames.makeAsyncIterator())
    var first = try await atServer.next()
    while first == nil {
      // Somebody only looked whether anybody listens.
      server = try await listener.accept()
      atServer = server.frames.makeAsyncIterator()
      first = try await atServer.next()
    }
    #expect(first == [1, 2])
    try await server.send([3])
    #expect(try await atClient.next() == [3])
    for end in [client, server] {
      #expect(end.peerCredentials == PeerCredentials(processID: getpid(), userID: geteuid(), groupID: getegid()))
    }
    #expect(client.peer == listener.addresses[0] && server.local == client.peer)
    #expect(server.peer == client.local && "\(server.peer)" == "unix:")
    await client.close()
    #expect(try await atServer.next() == nil)
    await server.close()
  }

  @Test func `frames go through a socket with a file, which goes with the listener`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      let listener = try await Listener.bind(to: SocketAddress(unixPath: path))
      #expect(listener.port == 0 && listener.addresses.map(\.description) == ["unix:\(path)"])
      #expect(mode(of: path) == mode_t(S_IFSOCK) | 0o600)
      try await exchange(over: listener)
      await listener.close()
      #expect(mode(of: path) == nil)
    }
  }

  @Test func `frames go through a socket with an abstract name`() async throws {
    let name = "bonjourish test \(getpid()) \(UInt64.random(in: 0 ... .max))"
    let address = try SocketAddress(unixAbstractName: name)
    let listener = try await Listener.bind(to: address)
    #expect(listener.addresses.map(\.description) == ["unix:@\(name)"])
    try await exchange(over: listener)
    let error = await #expect(throws: TransportError.self) { try await Listener.bind(to: address) }
    #expect(error?.code == .addressInUse)
    await listener.close()
    try await Listener.bind(to: address).close()
  }

  @Test func `connections over other sockets have no credentials`() async throws {
    try await withPair { client, server in
      #expect(client.peerCredentials == nil && server.peerCredentials == nil)
    }
  }

  @Test func `the file's permissions decide which users may connect`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      let listener = try await Listener.bind(to: SocketAddress(unixPath: path), permissions: 0o666)
      #expect(mode(of: path) == mode_t(S_IFSOCK) | 0o666)
      await listener.close()
    }
  }

  @Test func `a file that is left over is replaced`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      close(try rawSocket(at: path, listening: 1))
      #expect(mode(of: path) != nil)
      let refusal = await #expect(throws: TransportError.self) {
        try await Connection.connect(to: [SocketAddress(unixPath: path)])
      }
      #expect(refusal?.code == .refused)
      let listener = try await Listener.bind(to: SocketAddress(unixPath: path))
      try await exchange(over: listener)
      await listener.close()
    }
  }

  @Test func `a file that a listener has, or that is no socket, is left alone`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      let address = try SocketAddress(unixPath: path)
      let listener = try await Listener.bind(to: address)
      let taken = await #expect(throws: TransportError.self) { try await Listener.bind(to: address) }
      #expect(taken?.code == .addressInUse)
      #expect(taken?.description.contains("another program listens there") == true)
      try await exchange(over: listener)
      await listener.close()

      // One that takes no more connections at present listens all the same.
      let busy = try rawSocket(at: path, listening: 0)
      let first = try Socket(.unix)
      try first.beginConnecting(to: address)
      let busyError = await #expect(throws: TransportError.self) { try await Listener.bind(to: address) }
      #expect(busyError?.code == .addressInUse)
      close(busy)
      unlink(path)

      close(creat(path, 0o600))
      let file = await #expect(throws: TransportError.self) { try await Listener.bind(to: address) }
      #expect(file?.code == .addressInUse)
      #expect(file?.description.contains("not a socket") == true)
      #expect(mode(of: path) == mode_t(S_IFREG) | 0o600)
    }
  }

  @Test func `of many listeners that would replace a file that is left over one does`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      for _ in 0..<10 {
        close(try rawSocket(at: path, listening: 1))
        let listeners = await withTaskGroup(of: Listener?.self) { group in
          for _ in 0..<8 {
            group.addTask {
              do throws(TransportError) {
                return try await Listener.bind(to: SocketAddress(unixPath: path))
              } catch {
                #expect(error.code == .addressInUse)
                return nil
              }
            }
          }
          return await group.reduce(into: [Listener]()) { if let listener = $1 { $0.append(listener) } }
        }
        #expect(listeners.count == 1)
        for listener in listeners {
          try await exchange(over: listener)
          await listener.close()
        }
        #expect(mode(of: path) == nil)
      }
    }
  }

  @Test func `a file that another has put in its place stays`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      let listener = try await Listener.bind(to: SocketAddress(unixPath: path))
      unlink(path)
      let other = try rawSocket(at: path, listening: 1)
      await listener.close()
      #expect(mode(of: path) != nil)
      close(other)
    }
  }

  @Test func `a listener waits for the directory's lock`() async throws {
    try await withDirectory { directory in
      let address = try SocketAddress(unixPath: directory + "/socket")
      let lock = try await DirectoryLock.take(around: address)
      let binding = Task { try await Listener.bind(to: address) }
      binding.cancel()
      let error = await #expect(throws: TransportError.self) { try await binding.value }
      #expect(error?.code == .cancelled)
      lock.release()
      try await Listener.bind(to: address).close()
    }
  }

  @Test func `a path that leads nowhere is told`() async throws {
    try await withDirectory { directory in
      let address = try SocketAddress(unixPath: directory + "/nonesuch/socket")
      let binding = await #expect(throws: TransportError.self) { try await Listener.bind(to: address) }
      #expect(binding?.code == .unavailable)
      #expect(binding?.description.contains("nonesuch/socket") == true)
      let connecting = await #expect(throws: TransportError.self) { try await Connection.connect(to: [address]) }
      #expect(connecting?.code == .refused)
    }
  }

  @Test(arguments: ["", "a\0b", String(repeating: "x", count: 108)])
  func `a name that does not fit is refused`(name: String) {
    let path = #expect(throws: TransportError.self) { try SocketAddress(unixPath: name) }
    #expect(path?.code == .invalidAddress)
    let abstract = #expect(throws: TransportError.self) { try SocketAddress(unixAbstractName: name) }
    #expect(abstract?.code == .invalidAddress)
  }

  @Test func `the longest name comes back from the system as it was given`() async throws {
    let name = String(repeating: "x", count: 107)
    let path = try SocketAddress(unixPath: name)
    #expect(path.withSystemAddress { SocketAddress($0, size: $1) } == path)
    #expect(path.unixPath == name && path.unixAbstractName == nil && path.with(port: 5) == path)
    let abstract = try SocketAddress(unixAbstractName: name)
    #expect(abstract.withSystemAddress { SocketAddress($0, size: $1) } == abstract)
    #expect(abstract.unixAbstractName == name && abstract.unixPath == nil)
    #expect(abstract != path)
  }

  @Test func `the name of a peer cannot move a terminal's cursor`() {
    #expect(SocketAddress(unixName: [0] + Array("a\u{1B}[2J\u{E9}".utf8)).description == "unix:@a\\x1B[2J\\xC3\\xA9")
  }

  @Test func `what was sent before closing arrives, and closing does not wait for it to be read`() async throws {
    try await withDirectory { directory in
      let listener = try await Listener.bind(to: SocketAddress(unixPath: directory + "/socket"))
      let client = try await Connection.connect(to: listener.addresses)
      let server = try await listener.accept()
      try await client.send([1])
      try await server.send([2])
      // The time allowed is more than the test's, so that it is not what ends this.
      await client.close(within: .seconds(1000))
      var frames = server.frames.makeAsyncIterator()
      #expect(try await frames.next() == [1])
      await server.close()
      await listener.close()
    }
  }

  @Test func `a connection that finds the queue full waits for a place in it`() async throws {
    try await withDirectory { directory in
      let path = directory + "/socket"
      let address = try SocketAddress(unixPath: path)
      let listener = try rawSocket(at: path, listening: 0)
      let first = try await Connection.connect(to: [address])
      let late = await #expect(throws: TransportError.self) {
        try await Connection.connect(to: [address], within: .milliseconds(50))
      }
      #expect(late?.code == .timedOut)
      async let second = Connection.connect(to: [address])
      close(accept(listener, nil, nil))
      await first.close()
      await (try second).close()
      close(listener)
    }
  }
}
