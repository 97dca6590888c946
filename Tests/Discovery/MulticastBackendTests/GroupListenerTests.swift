import CBonjourishLinux
import Synchronization
import Testing
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// On the loopback interface.
@Suite(.timeLimit(.minutes(1))) struct GroupListenerTests {
  private final class Confined: @unchecked Sendable {  // Confined to the loop.
    var listener: GroupListener?
  }

  @Test func `its own question is heard, on the port that others use too`() async throws {
    let loop = try EventLoop(name: "listener")
    let other = try MulticastSocket(.ipv4)
    let question = DNSQuestion(try DNSName("nobody-\(getpid()).local"), .a)
    let (heard, continuation) = AsyncStream.makeStream(of: GroupDatagram.self)
    let confined = Confined()
    loop.execute {
      let handlers = GroupListener.Handlers(heard: { continuation.yield($0) }, failed: { Issue.record("\($0): \($1)") })
      let new = try! GroupListener(on: loop, InterfaceSelection.only("lo").over(.ipv4), asking: question, handlers)
      #expect(new.isListening && new.dropped == 0)
      confined.listener = new
    }
    for await datagram in heard where DissectedMessage(datagram.bytes).elements.contains(where: { $0.name == question.name }) {
      #expect(datagram.isOwn && datagram.port == 5353 && datagram.interface.name == "lo" && datagram.source.family == .ipv4)
      let message = try DNSMessage(parsing: datagram.bytes)
      #expect(!message.isResponse && message.questions == [question] && message.answers == [])
      break
    }
    loop.execute {
      confined.listener?.stop()
      confined.listener = nil
    }
    await loop.shutdown()
    withExtendedLifetime(other) {}
  }

  @Test func `a datagram without a source, or from an address of this machine, is its own`() async throws {
    let loop = try EventLoop(name: "listener")
    let own = await withCheckedContinuation { continuation in
      loop.execute {
        var own: [Bool] = []
        let handlers = GroupListener.Handlers(heard: { own.append($0.isOwn) }, failed: { Issue.record("\($0): \($1)") })
        let listener = try! GroupListener(on: loop, "nonexistent0", asking: nil, handlers)
        let lo = NetworkInterface(index: UInt32(if_nametoindex("lo")), name: "lo")
        let link = MulticastLink(interface: lo.index, family: .ipv4)
        // Nobody has the last one (RFC 5737).
        for address in [.ipv4(0), .ipv4(0x7F00_0001), .ipv4(0xC633_6407)] as [IPAddress] {
          let source = MulticastSource(address, port: 5353, link: link)
          listener.received(.init(bytes: [], source: source, reception: .multicast, delay: .zero), on: Link(lo, .ipv4))
        }
        listener.stop()
        continuation.resume(returning: own)
      }
    }
    #expect(own == [true, true, false])
    await loop.shutdown()
  }

  @Test func `what is sent to this host alone goes to others`() async throws {
    let loop = try EventLoop(name: "listener")
    let index = UInt32(if_nametoindex("lo"))
    // The system gives each datagram to one of the sockets that could have it, by a rule of its own: there are many others.
    var groups = [try MulticastSocket(.ipv4, for: .group(index))]
    let sender = try MulticastSocket(.ipv4)
    for _ in 1..<16 { groups.append(try MulticastSocket(.ipv4, for: .group(index))) }
    for group in groups { try group.join(index) }
    let link = MulticastLink(interface: index, family: .ipv4)
    let (mark, unicast): ([UInt8], [UInt8]) = ([UInt8](repeating: 1, count: 31), [UInt8](repeating: 2, count: 31))
    let heard = Mutex<[[UInt8]]>([])
    let (marks, continuation) = AsyncStream.makeStream(of: Void.self)
    nonisolated(unsafe) let (theGroups, theSender) = (groups, sender)
    loop.execute {
      for group in theGroups {
        try! group.start(
          on: loop,
          received: { arrival in
            heard.withLock { $0.append(arrival.bytes) }
            if arrival.bytes == mark { continuation.yield() }
          }, failed: { Issue.record("\($0)") })
      }
      // The system chooses one of several sockets by the addresses.
      for number in 1...32 as ClosedRange<UInt32> {
        let host = MulticastSource(.ipv4(0x7F00_0000 + number), port: 5353, link: link)
        try! theSender.send(unicast, on: index, to: .unicast(host))
      }
      try! theSender.send(mark, on: index, to: .multicast)
    }
    var count = 0
    for await _ in marks {
      count += 1
      if count == groups.count { break }
    }
    #expect(heard.withLock { !$0.contains(unicast) })
    loop.execute { for group in theGroups { group.stop() } }
    await loop.shutdown()
  }

  @Test func `a link whose socket fails is no longer usable, and what is sent there is refused`() async throws {
    let loop = try EventLoop(name: "listener")
    let (changes, continuation) = AsyncStream.makeStream(of: Set<Link>.self)
    let (failures, refusal) = await withCheckedContinuation { done in
      loop.execute {
        var failures: [SystemError] = []
        let handlers = GroupListener.Handlers(
          heard: { _ in }, failed: { failures.append($1) }, changed: { continuation.yield($1) })
        let listener = try! GroupListener(on: loop, InterfaceSelection.only("lo").over(.ipv4), asking: nil, handlers)
        let link = Link(NetworkInterface(index: UInt32(if_nametoindex("lo")), name: "lo"), .ipv4)
        listener.lose(link, SystemError("recvmsg", errno: EIO))
        var refusal: SystemError?
        do throws(SystemError) {
          try listener.send([], on: link, to: .multicast)
        } catch {
          refusal = error
        }
        listener.stop()
        done.resume(returning: (failures, refusal))
      }
    }
    continuation.finish()
    #expect(await changes.reduce(into: []) { $0.append($1.count) } == [1, 0])
    #expect(failures == [SystemError("recvmsg", errno: EIO)] && refusal?.errno == ENODEV)
    await loop.shutdown()
  }

  @Test func `an interface that is not there is waited for`() async throws {
    let loop = try EventLoop(name: "listener")
    let isListening = await withCheckedContinuation { continuation in
      loop.execute {
        let handlers = GroupListener.Handlers(heard: { _ in }, failed: { Issue.record("\($0): \($1)") })
        let listener = try! GroupListener(on: loop, "nonexistent0", asking: nil, handlers)
        continuation.resume(returning: listener.isListening)
        listener.stop()
      }
    }
    await loop.shutdown()
    #expect(!isListening)
  }
}
