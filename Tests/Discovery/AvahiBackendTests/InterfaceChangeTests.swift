#if Avahi
import TestSupport
import Testing
import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishEventLoop

@testable import _BonjourishAvahiBackend

/// Operations on a connection of their own, which are told of interfaces that a test makes up.
///
/// Sendable: used on the scene's loop only.
private final class Operations: @unchecked Sendable {
  let line = BusLine()
  let poll: LoopPoll
  var connection: AvahiConnection?
  var lookup: AvahiLookup?
  var publication: AvahiPublication?

  init(on loop: EventLoop) { poll = LoopPoll(on: loop, line: line) }

  static func with(_ scene: Scene, _ body: (Operations) async throws -> Void) async throws {
    let operations = Operations(on: scene.loop)
    await scene.onLoop {
      operations.connection = try? AvahiConnection(poll: operations.poll, on: scene.loop) { _ in }
    }
    try await body(operations)
    await scene.onLoop {
      operations.lookup?.stop()
      operations.publication?.stop()
      operations.connection?.free()
      (operations.lookup, operations.publication, operations.connection) = (nil, nil, nil)
    }
  }
}

extension Scene {
  fileprivate func onLoop(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      loop.execute {
        body()
        continuation.resume()
      }
    }
  }
}

private func state(_ index: UInt32, _ name: String, _ kind: InterfaceState.Kind = .network) -> InterfaceState {
  InterfaceState(NetworkInterface(index: index, name: name), kind, [.ipv4])
}

/// What operations of the daemon do when interfaces come and go.
@Suite(.timeLimit(.minutes(1))) struct InterfaceChangeTests {
  @Test func `what is found on an interface counts while that is used`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await Operations.with(scene) { operations in
          let heard = Scene.Heard<LookupEvent>()
          let network = [state(1, "lo", .loopback), state(2, "eth0")]
          await scene.onLoop {
            operations.lookup = AvahiLookup(
              RecordQuestion(.domain("x.local"), .a), on: scene.loop, links: LinkTable(of: DaemonNetwork()),
              line: operations.line, among: network
            ) { heard.hear($0) }
            operations.connection.map { operations.lookup?.start(on: $0) }
          }
          let path = await scene.bus.objects(1)[0].path
          let name: DomainName = "x.local"
          let record = ResourceRecord(
            name: name, type: .a, bytes: [10, 0, 0, 1], on: Link(NetworkInterface(index: 1, name: "lo"), .ipv4))
          let browsers = "org.freedesktop.Avahi.RecordBrowser"
          scene.bus.say(
            "ItemNew", of: browsers, at: path,
            [.int32(1), .int32(0), .text("x.local"), .uint16(1), .uint16(1), .bytes([10, 0, 0, 1]), .uint32(0)])
          scene.bus.say("CacheExhausted", of: browsers, at: path)
          #expect(await heard.next() == [.cacheExhausted])
          // Alone, the loopback interface is used.
          await scene.onLoop { operations.lookup?.interfacesChanged([network[0]]) }
          #expect(await heard.next() == [.added(record)])
          await scene.onLoop { operations.lookup?.interfacesChanged(network) }
          #expect(await heard.next() == [.removed(record)])
          #expect(await scene.bus.objects(1).count == 1)
        }
      }
    }
  }

  @Test func `a service follows the interfaces one by one, and is interrupted without any`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await Operations.with(scene) { operations in
          let heard = Scene.Heard<RegistrationEvent>()
          let (eth0, eth1) = (state(2, "eth0"), state(3, "eth1"))
          await scene.onLoop {
            let publication = AvahiPublication(
              Registration("Ada", type: "_x._tcp", domain: .local, port: 80, txt: [:], interfaces: .only("eth*")),
              on: scene.loop, through: RegistrationGate(operations.line), among: [eth0, eth1]
            ) { heard.hear($0) }
            operations.publication = publication
            operations.connection.map { publication.start(on: $0) }
            publication.serverIsRunning()
          }
          /// The group on an interface.
          func path(_ index: Int32, _ count: Int) async -> String? {
            await scene.bus.calls("AddService", count: count).last { $0.values.first == .int32(index) }?.path
          }
          _ = await scene.bus.calls("Commit", count: 2)
          for index in [2, 3] as [Int32] { scene.tell(2, of: await path(index, 2) ?? "") }
          #expect(await heard.next() == [.established("Ada")])
          let lost = await path(3, 2)
          await scene.onLoop { operations.publication?.interfacesChanged([eth0]) }
          #expect(await scene.bus.calls("Free").map(\.path) == [lost])
          await scene.onLoop { operations.publication?.interfacesChanged([eth0, eth1]) }
          let again = await path(3, 3)
          #expect(again != lost && again != nil && heard.rest == [])
          await scene.onLoop { operations.publication?.interfacesChanged([]) }
          let error = await heard.nextError()
          #expect(error?.message.contains("none of the network interfaces that were chosen (eth*)") == true)
          #expect(await scene.bus.calls("Free", count: 3).count == 3)
          await scene.onLoop { operations.publication?.interfacesChanged([eth1]) }
          scene.tell(2, of: await path(3, 4) ?? "")
          #expect(await heard.next() == [.established("Ada")])
        }
      }
    }
  }

  @Test func `a change of the machine's interfaces reaches all operations, if the daemon is in its network`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await scene.backend.connect()
        let service = scene.publish(
          Registration("Ada", type: "_x._tcp", domain: .local, port: 80, txt: [:], interfaces: .only("eth*")))
        let error = await service.nextError()
        #expect(error?.message.contains("none of the network interfaces that were chosen (eth*)") == true)
        scene.interfaces.change { $0 = [state(2, "eth0")] }
        await scene.backend.interfacesChanged()
        await scene.backend.interfacesChanged()
        await scene.backend.drain()
        #expect(scene.bus.calls.filter { $0.member == "AddService" }.compactMap(\.values.first) == [.int32(2)])
        // The interfaces of a daemon that is elsewhere are not known here.
        scene.isElsewhere.change { $0 = true }
        scene.bus.endConnections()
        _ = await scene.changes(3)
        #expect(scene.backend.network.isForeign)
        await scene.backend.interfacesChanged()
        await scene.backend.drain()
        #expect(await scene.backend.interfaces == [])
        // From then on none is noticed.
        await scene.backend.monitorFailed(SystemError("recv", errno: 5))
        let last = scene.messages.value(\.last)
        #expect(last?.level == .warning && last?.metadata == ["error": "\(SystemError("recv", errno: 5))"])
        #expect(last?.text.hasPrefix("changes of network interfaces can no longer be noticed: ") == true)
      }
    }
  }

  @Test func `a service on all interfaces at once is registered anew when one must be left out`() async {
    await #expect(processExitsWith: .success) {
      try await Scene.play { scene in
        try await Operations.with(scene) { operations in
          let heard = Scene.Heard<RegistrationEvent>()
          await scene.onLoop {
            let publication = AvahiPublication(
              Registration("Ada", type: "_x._tcp", domain: .local, port: 80, txt: [:]), on: scene.loop,
              through: RegistrationGate(operations.line), among: [state(2, "eth0")]
            ) { heard.hear($0) }
            operations.publication = publication
            operations.connection.map { publication.start(on: $0) }
            publication.serverIsRunning()
          }
          let first = await scene.bus.calls("AddService")[0]
          #expect(first.values.first == .int32(-1))
          scene.tell(2, of: first.path)
          #expect(await heard.next() == [.established("Ada")])
          await scene.onLoop { operations.publication?.interfacesChanged([state(2, "eth0"), state(9, "docker0", .inside)]) }
          let error = await heard.nextError()
          #expect(error?.message.contains("other network interfaces can be used now") == true)
          let second = await scene.bus.calls("AddService", count: 2)[1]
          #expect(second.values.first == .int32(2))
          scene.tell(2, of: second.path)
          #expect(await heard.next() == [.established("Ada")])
        }
      }
    }
  }
}
#endif
