import CBonjourishNATS
import FramedTransport
import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

@testable import BonjourishDirectory

/// Where the messages of relayed connections go, without a server.
@Suite(.timeLimit(.minutes(1))) struct RelayHubTests {
  private static let caller = RelayNumber(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
  private static let connection = RelayNumber(high: 5, low: 0x8_0006)
  private let hub: RelayHub

  /// Messages of the library need it open, as it is where there is a connection.
  init() throws {
    try #require(nats_Open(-1) == NATS_OK)
    hub = RelayHub(prefix: "b.relay", on: try EventLoop(name: "test-relay"))
  }

  /// A message of the library.
  private func message(_ bytes: [UInt8], to subject: String = "relay", status: String? = nil) throws -> NATSMessage {
    var pointer: OpaquePointer?
    let made = bytes.withUnsafeBytes {
      natsMsg_Create(&pointer, subject, nil, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count))
    }
    #expect(made == NATS_OK)
    if let status { #expect(natsMsgHeader_Set(pointer, "Status", status) == NATS_OK) }
    return try #require(NATSMessage(pointer))
  }

  private func header(_ kind: RelayMessage.Kind, isFromDialer: Bool, offset: UInt64 = 0) -> RelayMessage {
    RelayMessage(
      kind, isFromDialer: isFromDialer, of: Self.connection, offset: offset, address: kind == .dial ? Self.caller : nil)
  }

  /// What has come for one end, in words.
  private func arrivals(_ inbox: RelayInbox) -> [String] {
    inbox.take(atMost: 100).arrivals.map { arrival in
      switch arrival {
      case .message(let message, _): "\(message.kind) \(message.offset)"
      case .nobodyListens: "nobody"
      case .reconnected: "reconnected"
      }
    }
  }

  @Test func `subjects name the program, and what a message is about`() {
    let own = hub.address.text
    #expect(hub.subscription == "b.relay.\(own).*")
    #expect(hub.replySubject(of: Self.connection) == "b.relay.\(own).\(Self.connection.text)")
    let caller = "b.relay.0102030405060708090a0b0c0d0e0f10"
    #expect(hub.subject(of: Self.caller) == "\(caller).m" && hub.dialSubject(of: Self.caller) == "\(caller).dial")
  }

  @Test func `a message goes to the end of its connection that did not send it`() throws {
    let (dialer, acceptor) = (RelayInbox(), RelayInbox())
    #expect(hub.add(dialer, at: RelayHub.Place(connection: Self.connection, side: .dialer)))
    #expect(hub.add(acceptor, at: RelayHub.Place(connection: Self.connection, side: .acceptor)) && hub.streamCount == 2)
    for (isFromDialer, offset) in [(true, 1), (false, 2), (true, 3)] as [(Bool, UInt64)] {
      hub.receive(try message(header(.data, isFromDialer: isFromDialer, offset: offset).bytes()))
    }
    // What the server says is for the one who dials.
    let subject = hub.replySubject(of: Self.connection)
    hub.receive(try message([], to: subject, status: "503"))
    hub.receive(try message([], to: subject, status: "404"))
    hub.receive(try message([], to: hub.replySubject(of: Self.caller), status: "503"))
    hub.receive(try message([1, 2, 3]))
    hub.reconnected()
    #expect(arrivals(dialer) == ["data 2", "nobody", "reconnected"])
    #expect(arrivals(acceptor) == ["data 1", "data 3", "reconnected"])
    hub.remove(RelayHub.Place(connection: Self.connection, side: .dialer))
    hub.receive(try message(header(.data, isFromDialer: false).bytes()))
    #expect(arrivals(dialer) == [] && hub.streamCount == 1)
  }

  @Test func `whoever dials an owner that accepts is handed over once, until it is refused`() throws {
    let streams = Locked<[RelayedStream]>([])
    let refusals = Locked<[@Sendable () -> Void]>([])
    hub.open(7) { stream, refused in
      streams.withLock { $0.append(stream) }
      refusals.withLock { $0.append(refused) }
    }
    let dial = header(.dial, isFromDialer: true, offset: 7)
    for _ in 0..<2 { hub.receive(try message(dial.bytes())) }
    // Neither of another owner, nor one that is no dial, or of the side that accepts.
    hub.receive(try message(header(.data, isFromDialer: true, offset: 7).bytes()))
    var forged = dial
    (forged.connection, forged.isFromDialer) = (Self.caller, false)
    hub.receive(try message(forged.bytes()))
    (forged.isFromDialer, forged.offset) = (true, 8)
    hub.receive(try message(forged.bytes()))
    #expect(hub.streamCount == 1)
    let stream = try #require(streams.withLock { $0.count == 1 ? $0.first : nil })
    // The address of the program that calls (RFC 4193), and a port for the connection, never 0.
    let peer: [UInt8] = [0xFD, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    #expect(stream.peer == SocketAddress(bytes: peer, port: 7))
    #expect(stream.local == SocketAddress(bytes: [0xFD] + hub.address.bytes.prefix(15), port: 7))
    let refuse = try #require(refusals.withLock { $0.first })
    refuse()
    #expect(hub.streamCount == 0)
    hub.shut(7)
    hub.receive(try message(dial.bytes()))
    #expect(streams.withLock { $0.count } == 1 && hub.streamCount == 0)
  }

  @Test func `a stream is handed at most so many bytes and messages that it has not taken`() throws {
    let inbox = RelayInbox()
    let large = try message([UInt8](repeating: 0, count: RelayLink.window))
    for number in 0..<5 { inbox.put(header(.data, isFromDialer: true, offset: UInt64(number)), large) }
    inbox.putReconnected()
    #expect(arrivals(inbox) == ["data 0", "data 1", "data 2", "reconnected"])
    // What is taken makes room.
    inbox.put(header(.data, isFromDialer: true, offset: 9), large)
    #expect(arrivals(inbox) == ["data 9"])
    for _ in 0...(2 * RelayLink.maximumSegments) { inbox.putNobodyListens() }
    #expect(inbox.take(atMost: .max).arrivals.count == 2 * RelayLink.maximumSegments)
  }
}
