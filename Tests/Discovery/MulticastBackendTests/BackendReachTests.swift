import CBonjourishLinux
import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

@testable import _BonjourishMulticastBackend

/// What the backend tells, and does, when nothing of what it sends comes back.
@Suite(.timeLimit(.minutes(1))) struct BackendReachTests {
  private let interfaces = InterfaceSelection.only("lo").over(.ipv4)
  private let outage = NetworkOutage.notHeard(interface: "lo")

  private var question: RecordQuestion { RecordQuestion(.domain("nobody.local"), .a, interfaces: interfaces) }

  private var registration: Registration {
    Registration("Ada", type: "_reach._tcp", domain: .local, port: 1, txt: [:], interfaces: interfaces)
  }

  @Test func `a lookup is interrupted when no echo comes, and starts again with the first`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<LookupEvent>()
      resident.backend.lookUp(question, as: OperationID()) { events.append($0) }
      let (lost, still, found, isCutOff, messages) = await resident.on { backend in
        _ = resident.log.take()
        let number = backend.queries.keys.first
        backend.loseEchoes()
        let lost = events.take()
        // A fault that is known is not told again.
        backend.testEchoes()
        let still = events.take()
        let link = backend.onlyLink
        backend.heard(on: link)
        let isCutOff = backend.queries.keys.first == number || backend.links[link] == nil
        return (lost, still, events.take(), isCutOff, resident.log.take())
      }
      #expect(lost == [.cacheExhausted, .interrupted(outage.during(question.action))])
      #expect(still == [])
      // Known records are kept for a while when they are lost after a restart, so that is told before the link ends.
      #expect(found == [.restarted, .restarted, .cacheExhausted] && !isCutOff)
      let metadata = ["interface": "lo", "family": "ipv4"]
      let log = messages.filter { $0.text.hasPrefix("mDNS over ipv4") || $0.text.contains("works again") }
      #expect(log.map(\.text) == ["mDNS over ipv4: \(outage.explanation)", "mDNS works again on lo over ipv4"])
      #expect(log.map(\.level) == [.warning, .info] && log.allSatisfy { $0.metadata == metadata })
    }
  }

  @Test func `a lookup that begins during an outage is interrupted at once`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<LookupEvent>()
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      await resident.on { $0.loseEchoes() }
      resident.backend.lookUp(question, as: OperationID()) { events.append($0) }
      #expect(await resident.on { _ in events.values.first } == .interrupted(outage.during(question.action)))
    }
  }

  @Test func `a success is told when something has come back, and not kept for operations that have ended`() async throws {
    try await ResidentBackend.run { resident in
      let (lookedUp, published) = (Recorder<LookupEvent>(), Recorder<RegistrationEvent>())
      resident.backend.lookUp(question, as: OperationID()) { lookedUp.append($0) }
      resident.backend.publish(registration, as: OperationID()) { published.append($0) }
      await resident.endOfTick()
      let (before, kept) = await resident.on { backend in
        let (query, number) = (backend.queries.keys.first!, backend.registrations.keys.first!)
        _ = lookedUp.take()
        backend.perform(.settled(query))
        backend.perform(.registration(number, .established))
        let id = backend.queries[query]!
        for number in 1_000..<1_100 as Range<UInt64> { _ = backend.isProven(id, .settled(.init(number))) }
        return (lookedUp.values.count + published.values.count, backend.unprovenSuccesses.count)
      }
      #expect(before == 0 && kept <= 5)
      let isEmpty = await resident.on { backend in
        backend.sent(on: backend.onlyLink, nil)
        backend.heard(on: backend.onlyLink)
        return backend.unprovenSuccesses.isEmpty
      }
      #expect(lookedUp.values.contains(.settled) && published.values == [.established("Ada")] && isEmpty)
    }
  }

  @Test func `a name that another host has is replaced, once for each attempt`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<RegistrationEvent>()
      resident.backend.publish(registration, as: OperationID()) { events.append($0) }
      await resident.endOfTick()
      let name = try DNSName("ada._reach._tcp.local")
      let (told, numbers) = await resident.on { backend in
        let number = backend.registrations.keys.first!
        for _ in 0..<2 { backend.perform(.registration(number, .conflict(name))) }
        return (events.take(), backend.registrations.keys.map { $0 == number })
      }
      #expect(told == [.renamed(from: "Ada", to: "Ada #2")])
      #expect(numbers == [false])
    }
  }

  @Test func `a service that is published is interrupted with the network, and registered again`() async throws {
    try await ResidentBackend.run { resident in
      let events = Recorder<RegistrationEvent>()
      resident.backend.publish(registration, as: OperationID()) { events.append($0) }
      await resident.endOfTick()
      let (told, numbers) = await resident.on { backend in
        let number = backend.registrations.keys.first!
        backend.loseEchoes()
        backend.heard(on: backend.onlyLink)
        return (events.take(), backend.registrations.keys.map { $0 == number })
      }
      #expect(told == [.interrupted(outage.during(registration.action))])
      #expect(numbers == [false])
    }
  }

  // MARK: - Reach

  @Test func `followers are told what changes for their interfaces until they end`() async throws {
    try await ResidentBackend.run { resident in
      let (first, second) = (Recorder<Reach>(), Recorder<Reach>())
      let ids = [OperationID(), OperationID()]
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      resident.backend.followReach(of: interfaces, as: ids[0]) { first.append($0) }
      resident.backend.followReach(of: interfaces, as: ids[1]) { second.append($0) }
      await resident.on { $0.loseEchoes() }
      await resident.endOfTick()
      func codes(_ recorder: Recorder<Reach>) -> [[Reach.Cause.Code]] { recorder.values.map { $0.failing.map(\.cause.code) } }
      #expect(codes(first) == [[], [.notHeard]] && codes(second) == codes(first))
      #expect(first.values.allSatisfy { $0.working == [] })
      resident.backend.end(ids[0])
      await resident.on { backend in
        backend.sent(on: backend.onlyLink, nil)
        backend.echoes[backend.onlyLink]!.heard()
        backend.reachMayHaveChanged()
      }
      await resident.endOfTick()
      #expect(first.values.count == 2 && second.values.last?.working.map(\.source.name) == ["lo"])
      resident.backend.end(ids[1])
      #expect(await resident.on { $0.reachFollowers.isEmpty })
    }
  }

  @Test func `an interface that cannot be joined and a family without a socket have their reasons`() async throws {
    try await ResidentBackend.run { resident in
      let reaches = Recorder<Reach>()
      let refusal = SystemError("setsockopt", errno: ENOBUFS)
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      resident.backend.followReach(of: interfaces, as: OperationID()) { reaches.append($0) }
      let outages = await resident.on { [interfaces] backend in
        let (link, former) = (backend.onlyLink, backend.links)
        backend.links = [:]
        backend.refusals = [link: refusal]
        backend.reachMayHaveChanged()
        backend.loop.atEndOfTick { backend.assumeIsolated { ($0.links, $0.refusals) = (former, [:]) } }
        return [backend.outage(on: interfaces), backend.outage(on: "nonexistent0")]
      }
      #expect(outages == [.refused(interface: "lo", reason: "\(refusal)"), .unusableInterface("nonexistent0")])
      for (error, isKnown) in [(SystemError("bind", errno: EADDRINUSE), true), (SystemError("socket", errno: EINVAL), false)] {
        await resident.on { backend in
          nonisolated(unsafe) let former = backend.sockets
          backend.sockets[.ipv4] = nil
          backend.socketFailures = isKnown ? [.ipv4: error] : [:]
          backend.reachMayHaveChanged()
          backend.loop.atEndOfTick { backend.assumeIsolated { ($0.sockets, $0.socketFailures) = (former, [:]) } }
        }
      }
      await resident.endOfTick()
      #expect(reaches.values.map { $0.failing.map(\.cause.code) } == [[], [.tooManyMemberships], [.portTaken], [.noFamily]])
    }
  }

  // MARK: - Sending

  @Test func `a failure to send is logged once until sending works again`() async throws {
    try await ResidentBackend.run { resident in
      let refusal = SystemError("sendmsg", errno: EPERM)
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      await resident.on { backend in
        for failure in [refusal, refusal, nil, refusal] { backend.sent(on: backend.onlyLink, failure) }
      }
      let log = resident.log.values.filter { $0.text.hasPrefix("cannot send") }
      #expect(log.map(\.text) == Array(repeating: "cannot send on lo over ipv4: \(refusal)", count: 2))
      #expect(log.allSatisfy { $0.level == .debug && $0.metadata["error"] == "\(refusal)" && $0.metadata["interface"] == "lo" })
    }
  }

  @Test func `an answer that cannot be sent is logged and counted, and says nothing of the link`() async throws {
    try await ResidentBackend.run { resident in
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      let (before, after, isTested) = await resident.on { backend in
        let link = backend.onlyLink
        backend.forgetEchoes(of: link)
        let before = backend.engineMetrics.ipv4
        // There is no port 0.
        let nobody = MulticastSource(.ipv4(0x7F00_0001), port: 0, link: link)
        backend.perform(.send([1, 2, 3], on: link, to: .unicast(nobody)))
        let isTested = backend.echoes[link] != nil
        backend.perform(.send([1, 2, 3], on: link, to: .multicast))
        return (before, backend.engineMetrics.ipv4, isTested)
      }
      #expect(after.failed == before.failed + 1 && !isTested)
      #expect(after.sent == before.sent + 1 && after.bytesSent == before.bytesSent + 3)
      #expect(resident.log.values.contains { $0.level == .debug && $0.text.hasPrefix("cannot answer on lo over ipv4: ") })
    }
  }

  // MARK: - Sleep

  @Test func `after a suspension all links start again, and what waited is dropped`() async throws {
    try await ResidentBackend.run { resident in
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      let received = await resident.on { backend in
        let bytes = DNSMessage(isResponse: true).written()
        let source = MulticastSource(.ipv4(0x7F4D_0009), port: 5353, link: backend.onlyLink)
        var received: [Int] = []
        for (suspension, pause, delay) in [(0, 0, 8), (100, 0, 0), (0, 9, 8)] {
          let now = SleepDetector.Times.now
          backend.sleep = SleepDetector(
            at: .init(boot: now.boot - .seconds(pause + suspension), monotonic: now.monotonic - .seconds(pause)))
          let before = backend.engine.metrics.messages.responsesReceived
          backend.handle(.received(bytes, from: source, to: .multicast), after: .seconds(delay))
          received.append(backend.engine.metrics.messages.responsesReceived - before)
        }
        return received
      }
      #expect(received == [1, 0, 0])
      let texts = resident.log.values.map(\.text)
      #expect(texts.count { $0 == "this machine or program has slept; its services are probed for again" } == 2)
      #expect(texts.count { $0 == "mDNS has ended on lo over ipv4" } == 2 && texts.count { $0 == "mDNS on lo over ipv4" } == 3)
      let isUsable = await resident.on { backend in
        backend.links.count == 1 && backend.memberships.count == 1 && backend.sockets[.ipv4]?.count == 1 && !backend.isWaking
      }
      #expect(isUsable)
    }
  }

  @Test func `a backend that is closed holds nothing`() async throws {
    try await ResidentBackend.run { resident in
      resident.backend.lookUp(question, as: OperationID()) { _ in }
      resident.backend.publish(registration, as: OperationID()) { _ in }
      resident.backend.followReach(of: interfaces, as: OperationID()) { _ in }
      await resident.endOfTick()
      await resident.backend.close()
      let isEmpty = await resident.on { backend in
        backend.operations.isEmpty && backend.queries.isEmpty && backend.registrations.isEmpty
          && backend.reachFollowers.isEmpty && backend.sockets.isEmpty && backend.memberships.isEmpty
          && backend.hostNameMonitor == nil && backend.idleTimer == nil && backend.echoTimer == nil
          && backend.reopenTimers.isEmpty
      }
      #expect(isEmpty)
    }
  }
}
