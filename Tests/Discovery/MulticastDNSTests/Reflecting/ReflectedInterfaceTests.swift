import Testing
import _BonjourishDiscovery

@testable import _BonjourishMulticastDNS

/// What a reflector remembers of an interface, and for how long.
@Suite struct ReflectedInterfaceTests {
  private let record = DNSRecord("host.local", .address(.ipv4(1)), timeToLive: 120)
  private let goodbye = DNSRecord("host.local", .address(.ipv4(1)), timeToLive: 0)
  private let other = DNSRecord("host.local", .address(.ipv4(2)), timeToLive: 120)
  private let question = DNSQuestion("host.local", .a)

  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  @Test func `the shortest limit of its families holds`() {
    var interface = ReflectedInterface()
    #expect(!interface.isUp && interface.families == [] && interface.limit == 1440)
    interface.bringUp(.ipv4, [], mtu: 1400)
    #expect(interface.isUp && interface.families == [.ipv4] && interface.limit == 1340)
    let address = InterfaceAddress(.ipv4(9), prefixLength: 24)
    interface.bringUp(.ipv6, [address], mtu: 1280)
    #expect(interface.families == [.ipv4, .ipv6] && interface.limit == 1220 && interface.addresses.ofInterface == [address])
    interface.takeDown(.ipv6)
    #expect(interface.families == [.ipv4] && interface.limit == 1340)
    interface.takeDown(.ipv4)
    #expect(!interface.isUp)
  }

  // MARK: - Records

  @Test func `a record is recent for a second, for a quarter while its name is probed, and was said for half a second`() {
    var interface = ReflectedInterface()
    interface.note(record, at: at(0))
    func isRecent(_ milliseconds: Int64, _ record: DNSRecord) -> Bool {
      interface.isRecent(record, fromRepeater: false, at: at(milliseconds))
    }
    #expect(isRecent(999, record) && !isRecent(1000, record) && !isRecent(0, other))
    #expect(interface.wasSaid(record, at: at(499)) && !interface.wasSaid(record, at: at(500)))
    interface.note(probeFor: "host.local", at: at(100))
    #expect(isRecent(249, record) && !isRecent(250, record))
    #expect(
      interface.isProbed("host.local", within: 500, at: at(599)) && !interface.isProbed("host.local", within: 500, at: at(600)))
    #expect(!interface.isProbed("other.local", within: 500, at: at(100)))
  }

  @Test func `three goodbyes are passed on, and no more for ten seconds`() {
    var interface = ReflectedInterface()
    func isRecent(_ milliseconds: Int64, fromRepeater: Bool = false) -> Bool {
      interface.isRecent(goodbye, fromRepeater: fromRepeater, at: at(milliseconds))
    }
    interface.note(record, at: at(0))
    #expect(!isRecent(0))
    interface.note(goodbye, at: at(0))
    #expect(!interface.isRecent(record, fromRepeater: false, at: at(0)))
    // The same one over the other family.
    interface.note(goodbye, at: at(500))
    #expect(isRecent(899) && !isRecent(900))
    #expect(isRecent(9_999, fromRepeater: true) && !isRecent(10_000, fromRepeater: true))
    interface.note(goodbye, at: at(900))
    #expect(!isRecent(1_800))
    interface.note(goodbye, at: at(1_800))
    #expect(isRecent(2_700) && isRecent(11_799) && !isRecent(11_800))
    // Much later, another one begins anew.
    interface.note(goodbye, at: at(11_800))
    #expect(isRecent(12_699) && !isRecent(12_700))
    interface.note(record, at: at(12_000))
    #expect(!isRecent(12_000))
  }

  // MARK: - Questions

  @Test func `a question is recent for 900 ms if it was asked without known answers or with the same`() {
    func isRecent(asked: Int, _ known: Int, _ milliseconds: Int64, fromRepeater: Bool = false) -> Bool {
      var interface = ReflectedInterface()
      interface.note(question, .openly, known: asked, at: at(0))
      return interface.isRecent(question, known: known, fromRepeater: fromRepeater, at: at(milliseconds))
    }
    #expect(isRecent(asked: 0, 7, 899) && !isRecent(asked: 0, 7, 900))
    #expect(isRecent(asked: 5, 5, 899) && !isRecent(asked: 5, 5, 900) && !isRecent(asked: 5, 6, 0) && !isRecent(asked: 5, 0, 0))
    #expect(isRecent(asked: 5, 6, 9_999, fromRepeater: true) && !isRecent(asked: 0, 0, 10_000, fromRepeater: true))
    #expect(!ReflectedInterface().isRecent(question, known: 0, fromRepeater: true, at: at(0)))
  }

  @Test func `who asked alone is answered alone, so that only an echo of the question is recent`() {
    var interface = ReflectedInterface()
    interface.note(question, .alone, known: 0, at: at(0))
    func isRecent(_ milliseconds: Int64, fromRepeater: Bool = false) -> Bool {
      interface.isRecent(question, known: 3, fromRepeater: fromRepeater, at: at(milliseconds))
    }
    #expect(isRecent(199) && !isRecent(200))
    #expect(isRecent(9_999, fromRepeater: true) && !isRecent(10_000, fromRepeater: true))
    #expect(!interface.wasAsked(for: record, at: at(0)))
  }

  @Test func `an answer is expected for a second after an open question without known answers`() {
    var interface = ReflectedInterface()
    interface.note(question, .openly, known: 3, at: at(0))
    #expect(!interface.wasAsked(for: record, at: at(0)))
    interface.note(question, .openly, known: 0, at: at(0))
    #expect(interface.wasAsked(for: record, at: at(999)) && !interface.wasAsked(for: record, at: at(1_000)))
    #expect(!interface.wasAsked(for: DNSRecord("host.local", .txt([0]), timeToLive: 120), at: at(0)))
  }

  // MARK: - Probes

  /// Whether a probe is recent after others at these times.
  private func isRecentProbe(
    after times: [Int64], _ milliseconds: Int64, proposing: Bool = false, fromRepeater: Bool = false
  ) -> Bool {
    var interface = ReflectedInterface()
    for time in times {
      if proposing { interface.note(proposals: [record], at: at(time)) }
      interface.note(question, .probing, known: 0, at: at(time))
    }
    return interface.isRecent(
      probe: question, proposing: proposing ? [record] : [], fromRepeater: fromRepeater, at: at(milliseconds))
  }

  @Test(arguments: [false, true]) func `three probes are passed on, and what comes within 200 ms is the same`(_ proposing: Bool)
  {
    func isRecent(after times: Int64..., at milliseconds: Int64, fromRepeater: Bool = false) -> Bool {
      isRecentProbe(after: times, milliseconds, proposing: proposing, fromRepeater: fromRepeater)
    }
    #expect(!isRecent(at: 0))
    #expect(isRecent(after: 0, at: 199) && !isRecent(after: 0, at: 200))
    #expect(!isRecent(after: 0, 250, at: 450))
    #expect(isRecent(after: 0, 250, 500, at: 1_399) && !isRecent(after: 0, 250, 500, at: 1_400))
    #expect(isRecent(after: 0, 200, 400, at: 1_299) && !isRecent(after: 0, 199, 398, at: 598))
    // Whoever probes again after a while sends three more.
    #expect(!isRecent(after: 0, 250, 500, 1_400, at: 1_600) && isRecent(after: 0, 250, 500, 1_399, at: 1_600))
    #expect(isRecent(after: 0, at: 9_999, fromRepeater: true) && !isRecent(after: 0, at: 10_000, fromRepeater: true))
  }

  @Test func `a probe that proposes something new is not recent`() {
    var interface = ReflectedInterface()
    interface.note(question, .probing, known: 0, at: at(0))
    interface.note(proposals: [record], at: at(0))
    func isRecent(_ records: DNSRecord...) -> Bool {
      interface.isRecent(probe: question, proposing: records, fromRepeater: false, at: at(0))
    }
    #expect(isRecent() && isRecent(record) && !isRecent(other) && !isRecent(record, other))
    // A question is no probe.
    #expect(!interface.isRecent(question, known: 0, fromRepeater: false, at: at(0)))
  }

  // MARK: - Budget

  @Test func `8,192 datagrams may go at once, and then one in two milliseconds`() {
    var interface = ReflectedInterface()
    interface.spend(8_191, at: at(0))
    #expect(interface.hasBudget(at: at(0)))
    interface.spend(1, at: at(0))
    #expect(!interface.hasBudget(at: at(1)) && interface.hasBudget(at: at(2)))
    interface.spend(1, at: at(2))
    #expect(!interface.hasBudget(at: at(3)) && interface.hasBudget(at: at(4)))
  }
}
