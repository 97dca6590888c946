import Foundation
import FramedTransport
import TestSupport
import Testing
import TransportTestSupport
import _BonjourishEventLoop

@testable import FramedSecurity

/// Passcodes.
extension ConnectionTests {
  @Test func `the right passcode lets in, over every kind of loop`() async throws {
    for loops in [TransportLoops.one, TransportLoops(2)] {
      try await withListener(.passcode("471123", service: "_x._tcp", identity: identity), on: loops) { listener in
        let client = try await listener.reach(.passcode("471 123", service: "_x._tcp"))
        let server = try await listener.accept()
        try await server.send([1])
        #expect(try await client.next() == [1])
        #expect(client.securityDetails?.isPasscodeProved == true && server.securityDetails?.isPasscodeProved == true)
        #expect(client.securityDetails?.comparisonCode == nil)
        #expect(client.securityDetails?.peerKey == identity.fingerprint)
      }
    }
  }

  @Test func `a wrong passcode is refused with that error, and the app never sees the connection`() async throws {
    let events = Locked<[Int]>([])
    let passcodes = PasscodeGuard("471123", limitPerAddress: 10) { event in
      if case .wrongGuess(_, let remaining) = event { events.withLock { $0.append(remaining) } }
    }
    try await withListener(.passcode(passcodes, identity: identity)) { listener in
      for _ in 0..<3 { #expect(await listener.refusal(.passcode("471124"))?.code == .wrongPasscode) }
      #expect(await listener.refusal(.passcode("471123", service: "_other._tcp"))?.code == .wrongPasscode)
      #expect(events.withLock { $0 } == [9, 8, 7, 6])
      let client = try await listener.reach(.passcode("471123"))
      let server = try await listener.accept()
      #expect(server.peer == client.local)
    }
  }

  @Test func `of a hundred wrong guesses at once ten are evaluated, and then nobody is let in before it is reopened`()
    async throws
  {
    let wrong = Locked(0)
    let passcodes = PasscodeGuard("471123", limitPerAddress: 10) { event in
      if case .wrongGuess = event { wrong.withLock { $0 += 1 } }
    }
    try await withListener(.passcode(passcodes, identity: identity), on: TransportLoops(2)) { listener in
      let codes = await withTaskGroup { group in
        for guess in 0..<100 {
          group.addTask { await listener.refusal(.passcode(Passcode(text: "\(guess)")!))?.code }
        }
        return await group.reduce(into: [TransportError.Code?]()) { $0.append($1) }
      }
      #expect(wrong.withLock { $0 } == 10)
      #expect(codes.count { $0 == .wrongPasscode } == 10)
      #expect(codes.count { $0 == .passcodePaused } == 90)
      #expect(await listener.refusal(.passcode("471123"))?.code == .passcodePaused)
      passcodes.reopen(with: "555555")
      #expect(await listener.refusal(.passcode("555555")) == nil)
    }
  }

  @Test func `failed handshakes are counted by kind`() async throws {
    let passcodes = PasscodeGuard("471123", limit: 2)
    try await withListener(.passcode(passcodes, identity: identity)) { listener in
      for _ in 0..<3 { _ = await listener.refusal(.passcode("471124")) }
      _ = await listener.refusal(.anyKey())
      let plain = try await Connection.connect(to: listener.addresses, limits: .untimed)
      try await plain.send(Array("hello".utf8))
      try await until { listener.metrics.connections == 0 }
      plain.abort()
      passcodes.reopen()
      try await listener.reach(.passcode("471123")).abort()
      try await until { listener.metrics.connections == 0 }
      let counters = listener.metrics
      #expect(counters.securityFailures[.wrongPasscode] == 2 && counters.securityFailures[.passcodePaused] == 1)
      #expect(counters.securityFailures[.notEncrypted] == 1 && counters.securityFailures[.handshakeFailed] == 1)
      #expect(counters.accepted == 6)
      let encoded = try JSONEncoder().encode(counters)
      #expect(String(decoding: encoded, as: UTF8.self).contains(#""wrongPasscode":2"#))
      #expect(try JSONDecoder().decode(ListenerMetrics.self, from: encoded) == counters)
    }
  }

  @Test func `a passcode may go with a pinned key, or be a token`() async throws {
    let token = AccessToken.random()
    try await withListener(.passcode(token.passcode, identity: identity)) { listener in
      let same = try #require(AccessToken(token.text))
      #expect(await listener.refusal(.passcode(same.passcode, pinned: identity.fingerprint)) == nil)
      let other = try Identity.ephemeral().fingerprint
      #expect(await listener.refusal(.passcode(same.passcode, pinned: other))?.code == .wrongKey)
    }
  }

  @Test func `a listener with a passcode may let others through, whom its app asks for another proof`() async throws {
    let seat = SecretBytes.random(count: 16).exposed
    let security = ListenerSecurity.passcode(PasscodeGuard("471123"), admitsOthers: true, identity: identity)
    try await withListener(security) { listener in
      for client in [ConnectionSecurity.pinned(identity.fingerprint), .anyKey()] {
        let client = try await listener.reach(client)
        let server = try await listener.accept()
        let (left, right) = (try #require(client.securityDetails), try #require(server.securityDetails))
        #expect(!left.isPasscodeProved && !right.isPasscodeProved)
        #expect(left.comparisonCode == right.comparisonCode && left.comparisonCode != nil)
        let proof = ChannelProof.proof(of: seat, over: left.channelBinding(for: "seat"))
        #expect(ChannelProof.isValid(proof, of: seat, over: right.channelBinding(for: "seat")))
        #expect(!ChannelProof.isValid(proof, of: seat, over: right.channelBinding(for: "other")))
        #expect(!ChannelProof.isValid(proof, of: seat + [0], over: right.channelBinding(for: "seat")))
        #expect(!ChannelProof.isValid(Array(proof.dropLast()), of: seat, over: right.channelBinding(for: "seat")))
      }
      let client = try await listener.reach(.passcode("471123"))
      let server = try await listener.accept()
      #expect(client.securityDetails?.isPasscodeProved == true && server.securityDetails?.isPasscodeProved == true)
      // Who gives a passcode must give the right one.
      #expect(await listener.refusal(.passcode("471124"))?.code == .wrongPasscode)
      // A proof over one connection is worth nothing on another.
      let (one, other) = (try await listener.reach(.anyKey()), try await listener.reach(.anyKey()))
      let bindings = [one, other].compactMap { $0.securityDetails?.channelBinding(for: "seat") }
      #expect(bindings.count == 2 && bindings[0] != bindings[1])
      #expect(!ChannelProof.isValid(ChannelProof.proof(of: seat, over: bindings[0]), of: seat, over: bindings[1]))
    }
  }

  @Test func `a passcode proves nothing for another service, whatever the kinds of both sides`() async throws {
    let listeners: [ListenerSecurity] = [
      .passcode("471123", service: "_a._tcp", identity: identity),
      .passcode(PasscodeGuard("471123"), service: "_a._tcp", admitsOthers: true, identity: identity),
      .passcode(PasscodeGuard("471123"), service: "_a._tcp", or: .known(where: { _ in false }), identity: identity),
    ]
    for listening in listeners {
      try await withListener(listening) { listener in
        let (own, hosts) = (try Identity.ephemeral(), PinStore())
        func paired(_ service: String) -> ConnectionSecurity {
          .passcode("471123", service: service, or: .known(hosts, name: "a"), identity: own)
        }
        // The first time the key of the host is kept, the second time it is known.
        for _ in 0..<2 { #expect(await listener.refusal(paired("_a._tcp")) == nil) }
        for client in [paired("_b._tcp"), .passcode("471123", service: "_b._tcp"), .passcode("471123")] {
          #expect(await listener.refusal(client)?.code == .wrongPasscode)
        }
        #expect(hosts.key(of: "a") == identity.fingerprint)
      }
    }
  }
}
