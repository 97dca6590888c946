import Bonjourish
import TestSupport
import Testing
import _BonjourishDiscovery

private let link = Link(NetworkInterface(index: 2, name: "eth0"), .ipv4)

/// When a look-up that is made once has enough, and why it has nothing.
@Suite(.timeLimit(.minutes(1))) struct LookupLimitTests {
  let backend: FakeBackend
  let time = ManualTime()
  private let hinfo = RecordQuestion(.domain("x.local"), .hinfo)

  init() throws {
    backend = try FakeBackend()
  }

  @Test func `the record of a name's only owner is enough after 150 ms, and its alias is not`() async throws {
    func unique(_ type: RecordType, _ bytes: [UInt8]) -> ResourceRecord {
      ResourceRecord(name: "x.local", type: type, bytes: bytes, isUnique: true, on: link)
    }
    let (alias, record) = (unique(.cname, [1, 0x79, 0]), unique(.hinfo, [1, 65, 1, 66]))
    let bonjour = Bonjour(backend: backend, time: time.clock)
    async let records = bonjour.records(of: "x.local", type: .hinfo)
    await backend.commands { [hinfo] in $0 == [.lookUp(hinfo)] }
    await backend.say(.added(alias), to: hinfo)
    await time.pass(to: .milliseconds(200))
    await backend.say(.added(record), to: hinfo)
    await time.advance(to: .milliseconds(350))
    #expect(try await records == [alias, record])
  }

  @Test func `where only this machine is reached, silence is the network's`() async throws {
    let limit = ReachLimit()
    let bonjour = Bonjour(backend: backend, time: time.clock, limit: limit)
    var told: [DiscoveryError?] = []
    let alone = Reach(causes: [Reach.Cause(.notSelected, ""), Reach.Cause(.thisMachineOnly, "")])
    for reach in [Reach(), alone, alone] { limit.set(reach) { told.append($0) } }
    let reason = NetworkOutage.noInterface.limitation()
    #expect(told == [reason] && limit.reason == reason)
    let tasks: [Task<Void, any Error>] = [
      Task { _ = try await bonjour.addresses(ofHost: "x.local", within: .seconds(3)) },
      Task { _ = try await bonjour.hostNames(of: .ipv4(0x0A4D_0001), within: .seconds(3)) },
      Task { _ = try await bonjour.resolve(ServiceInstance("Ada", type: "_http._tcp"), within: .seconds(3)) },
    ]
    await backend.commands { $0.count == 5 }
    await time.pass(to: .seconds(3))
    for task in tasks {
      let error = await #expect(throws: DiscoveryError.self) { try await task.value }
      #expect(error?.code == .noNetwork && error?.message.hasSuffix(reason.message) == true)
    }
    limit.set(alone, besideDirectory: true) { told.append($0) }
    limit.set(Reach()) { told.append($0) }
    #expect(told == [reason, NetworkOutage.noInterface.limitation(besideDirectory: true), nil] && limit.reason == nil)
  }
}
