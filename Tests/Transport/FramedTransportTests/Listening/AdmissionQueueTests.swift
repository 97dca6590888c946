import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

@Suite struct AdmissionQueueTests {
  private func block(_ number: Int) -> AddressBlock {
    AddressBlock(address("10.0.\(number / 256).\(number % 256)"), seenFrom: address("10.0.0.1"))
  }

  private func address(_ host: String) -> SocketAddress { SocketAddress(numericHost: host, port: 80)! }

  private func ticket(_ answer: AdmissionQueue.Answer) -> AdmissionQueue.Ticket? {
    guard case .accepted(let ticket, _) = answer else { return nil }
    return ticket
  }

  @Test func `so many come in from one address, and more when some have left`() {
    var queue = AdmissionQueue(.standard)
    let tickets = (0..<8).compactMap { _ in ticket(queue.arrive(from: block(1))) }
    #expect(tickets.count == 8)
    #expect(queue.arrive(from: block(1)) == .addressCrowded)
    #expect(ticket(queue.arrive(from: block(2))) != nil)
    let isGone = queue.leave(tickets[3])
    #expect(isGone)
    let isGoneAgain = queue.leave(tickets[3])
    #expect(!isGoneAgain)
    #expect(ticket(queue.arrive(from: block(1))) != nil)
    #expect(queue.arrive(from: block(1)) == .addressCrowded)
  }

  @Test func `so many come in altogether, and then they are refused if that is wanted`() {
    var queue = AdmissionQueue(PendingConnectionLimits(count: 3, overflow: .refuse))
    for number in 1...3 { #expect(ticket(queue.arrive(from: block(number))) != nil) }
    #expect(queue.arrive(from: block(4)) == .crowded)
    #expect(queue.displace() == nil && queue.count == 3)
  }

  @Test func `a new connection displaces the longest waiting one of the largest group`() {
    var queue = AdmissionQueue(PendingConnectionLimits(count: 4))
    let alone = ticket(queue.arrive(from: block(1)))
    let crowd = (0..<3).map { _ in ticket(queue.arrive(from: block(2))) }
    var displaced: [AdmissionQueue.Ticket?] = []
    for number in 3...5 {
      guard case .accepted(_, let ticket) = queue.arrive(from: block(number)) else { continue }
      displaced.append(ticket)
    }
    // The crowd shrinks until it is as small as all others; then it is he who has waited longest.
    #expect(displaced == [crowd[0], crowd[1], alone])
    #expect(queue.count == 4)
  }

  /// The connections that many new connections displace, one after the other, each from an address of its own.
  private func displaced(by count: Int, in queue: inout AdmissionQueue) -> [AdmissionQueue.Ticket] {
    (0..<count).compactMap { number in
      guard case .accepted(_, let displaced) = queue.arrive(from: block(1_000 + number)) else { return nil }
      return displaced
    }
  }

  /// After CVE-2022-21689 (OnionShare) and CVE-2026-66050 (NitroShare): places that somebody holds who says nothing.
  @Test func `a crowd of the silent displaces each other, not who was heard or has answered`() throws {
    var queue = AdmissionQueue(PendingConnectionLimits(count: 8))
    let tickets = try (1...8).map { try #require(ticket(queue.arrive(from: block($0)))) }
    for ticket in tickets[..<4] { queue.note(.heard, of: ticket) }
    for ticket in tickets[4..<6] { queue.note(.answered, of: ticket) }
    let gone = displaced(by: 1_000, in: &queue)
    #expect(gone.count == 1_000 && gone[..<2] == tickets[6...] && Set(gone).isDisjoint(with: tickets[..<6]))
  }

  @Test func `a new connection has time to say something, and to answer, while others hold all places`() throws {
    for held in [ConnectionProgress.heard, .answered] {
      var queue = AdmissionQueue(PendingConnectionLimits(count: 8))
      let holders = try (1...8).map { try #require(ticket(queue.arrive(from: block($0)))) }
      for ticket in holders { queue.note(held, of: ticket) }
      let arrival = try #require(ticket(queue.arrive(from: block(9))))
      // As many as there are places for the silent, but for the new one's own.
      #expect(displaced(by: 1, in: &queue).allSatisfy { holders.contains($0) })
      queue.note(.heard, of: arrival)
      #expect(!displaced(by: 3, in: &queue).contains(arrival))
      queue.note(.answered, of: arrival)
      #expect(!displaced(by: 1_000, in: &queue).contains(arrival))
    }
  }

  @Test func `progress is not taken back, and is of no use to who has left`() throws {
    var queue = AdmissionQueue(PendingConnectionLimits(count: 4))
    let tickets = try (1...4).map { try #require(ticket(queue.arrive(from: block($0)))) }
    queue.note(.answered, of: tickets[0])
    queue.note(.heard, of: tickets[0])
    queue.leave(tickets[3])
    queue.note(.answered, of: tickets[3])
    #expect(queue.count == 3)
    #expect(displaced(by: 100, in: &queue).contains(tickets[0]) == false)
  }

  @Test func `without limits all come in`() {
    var queue = AdmissionQueue(.unlimited)
    for _ in 0..<1000 { #expect(ticket(queue.arrive(from: block(1))) != nil) }
    #expect(queue.count == 1000)
  }

  @Test(arguments: 0..<20) func `whatever happens, the limits hold and no connection is forgotten`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = AdmissionQueue(PendingConnectionLimits(count: 10, countPerAddress: 3))
    var there: [(ticket: AdmissionQueue.Ticket, source: Int)] = []
    for _ in 0..<2000 {
      if Int.random(in: 0..<3, using: &generator) == 0, !there.isEmpty {
        let (ticket, _) = there.remove(at: Int.random(in: there.indices, using: &generator))
        let wasThere = queue.leave(ticket)
        #expect(wasThere)
      } else {
        let source = Int.random(in: 0..<12, using: &generator)
        if let (ticket, _) = there.randomElement(using: &generator) {
          queue.note(Bool.random(using: &generator) ? .heard : .answered, of: ticket)
        }
        let isCrowded = there.count { $0.source == source } >= 3
        switch queue.arrive(from: block(source)) {
        case .accepted(let ticket, let displaced):
          #expect(!isCrowded)
          #expect((displaced != nil) == (there.count == 10))
          there.removeAll { $0.ticket == displaced }
          there.append((ticket, source))
        case .addressCrowded:
          #expect(isCrowded)
        case .crowded:
          Issue.record("somebody has to go for him, not he")
        }
      }
      #expect(queue.count == there.count)
    }
  }

  @Test func `an IPv6 prefix is one address, on one's own link each address is`() {
    let here = address("2001:db8:0:1::1")
    func block(_ host: String, seenFrom local: SocketAddress) -> AddressBlock { AddressBlock(address(host), seenFrom: local) }
    #expect(block("2001:db8:0:2::5", seenFrom: here) == block("2001:db8:0:2:ffff::6", seenFrom: here))
    #expect(block("2001:db8:0:2::5", seenFrom: here) != block("2001:db8:0:3::5", seenFrom: here))
    #expect(block("2001:db8:0:1::5", seenFrom: here) != block("2001:db8:0:1::6", seenFrom: here))
    #expect(block("fe80::5", seenFrom: address("fe80::1")) != block("fe80::6", seenFrom: address("fe80::1")))
    #expect(
      AddressBlock(address("10.0.0.5").with(port: 1), seenFrom: address("10.0.0.1"))
        == AddressBlock(address("10.0.0.5").with(port: 2), seenFrom: address("10.0.0.1")))
    #expect(block("2001:db8:0:2:ffff::6", seenFrom: here).description == "2001:db8:0:2::/64")
    #expect(block("2001:db8:0:1::6", seenFrom: here).description == "2001:db8:0:1::6")
    #expect(block("10.0.0.5", seenFrom: here).description == "10.0.0.5")
    #expect(block("2001:db8:0:1::5", seenFrom: address("10.0.0.1")).description == "2001:db8:0:1::/64")
  }

  @Test func `a user is one address on this machine, whatever its processes`() throws {
    let socket = try SocketAddress(unixPath: "/run/socket")
    func block(_ user: UInt32, process: Int32 = 1) -> AddressBlock {
      let credentials = PeerCredentials(processID: process, userID: user, groupID: 1)
      return AddressBlock(SocketAddress(unixName: []), seenFrom: socket, credentials)
    }
    #expect(block(1_000) == block(1_000, process: 2) && block(1_000) != block(1_001))
    #expect(block(1_000).description == "user 1000")
    #expect(AddressBlock(SocketAddress(unixName: []), seenFrom: socket).description == "/run/socket")
  }
}
