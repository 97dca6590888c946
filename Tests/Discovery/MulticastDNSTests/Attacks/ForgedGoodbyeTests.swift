import Testing
import _BonjourishDiscovery
import _BonjourishMulticastDNS

/// Somebody who says in another's name that its records are gone, or others: for how long a service is then missing.
@Suite struct ForgedGoodbyeTests {
  private let network: VirtualNetwork
  private let owner: VirtualHost
  private let browser: VirtualHost
  private let forger: VirtualHost
  private let type: DNSName = "_x._tcp.local"
  private let instance: DNSName = "mine._x._tcp.local"

  init() {
    network = VirtualNetwork(seed: 12)
    owner = network.addHost("me.local")
    browser = network.addHost()
    forger = network.addHost()
    _ = owner.publish("mine")
  }

  /// Sends records by multicast again and again, and lets time pass.
  private func forge(_ records: [DNSRecord], every interval: Duration, for duration: Duration) {
    let end = network.now + duration
    var message = DNSMessage(isResponse: true)
    message.answers = records
    while network.now < end {
      network.carry(message.written(), from: forger, on: forger.link, to: .multicast)
      network.run(for: interval)
    }
  }

  /// For how long, since a moment, nothing was known that answers a question, and how often it was lost.
  private func absence(_ id: MulticastEngine.QueryID, since start: Duration, _ counts: (DNSRecord) -> Bool = { _ in true })
    -> (time: Duration, losses: Int)
  {
    var (known, total, losses): (Int, Duration, Int) = (0, .zero, 0)
    var missing: Duration? = start
    for (time, effect) in browser.effects {
      guard case .answer(id, let change) = effect else { continue }
      switch change {
      case .added(let record, _) where counts(record):
        known += 1
        if known == 1, let began = missing {
          total += max(.zero, time - max(began, start))
          missing = nil
        }
      case .removed(let record, _) where counts(record):
        known -= 1
        if known == 0 {
          missing = time
          if time >= start { losses += 1 }
        }
      case .added, .removed, .leaving, .suspect, .confirmed: break
      }
    }
    if let missing { total += network.now - max(missing, start) }
    return (total, losses)
  }

  private func goodbyes() -> [DNSRecord] {
    [
      DNSRecord(type, .ptr(instance), timeToLive: 0),
      DNSRecord(instance, .srv(DNSService(target: "me.local", port: 1)), timeToLive: 0, cacheFlush: true),
      DNSRecord(instance, .txt([0]), timeToLive: 0, cacheFlush: true),
      DNSRecord("me.local", .address(owner.address), timeToLive: 0, cacheFlush: true),
    ]
  }

  /// RFC 6762 §6.6, §10.1: what others say goodbye for is gone after a second, in which its owner says that it is still there.
  @Test(arguments: [1000, 400, 50]) func `a service that somebody else says goodbye for is not lost`(milliseconds: Int) {
    let questions = [
      browser.ask("_x._tcp.local", .ptr), browser.ask("mine._x._tcp.local", .srv), browser.ask("mine._x._tcp.local", .txt),
      browser.ask("me.local", .a),
    ]
    network.run(for: .seconds(30))
    let (start, sent) = (network.now, owner.datagramsSent)
    forge(goodbyes(), every: .milliseconds(milliseconds), for: .seconds(60))
    network.run(for: .seconds(10))
    for question in questions {
      let gone = absence(question, since: start)
      #expect(gone.time == .zero && gone.losses == 0)
    }
    // It costs the owner an answer a second for each record, however many goodbyes there are.
    #expect(owner.datagramsSent - sent <= 5 * 62)
    Attachment.record("\(owner.datagramsSent - sent)", named: "answers-to-goodbyes-\(milliseconds).txt")
  }

  /// RFC 6762 §9: whoever says that a host has another address disputes its name.
  @Test(arguments: [60_000, 1000, 400]) func `an address that somebody forges for a host leads nobody away for long`(
    milliseconds: Int
  ) throws {
    let (browse, server) = (browser.ask("_x._tcp.local", .ptr), browser.ask("mine._x._tcp.local", .srv))
    let addresses = browser.ask("me.local", .a)
    network.run(for: .seconds(30))
    let start = network.now
    let forged = DNSRecord("me.local", .address(.ipv4(0x0A00_00EE)), timeToLive: 120, cacheFlush: true)
    forge([forged], every: .milliseconds(milliseconds), for: .seconds(60))
    let address = RecordIdentity("me.local", .address(owner.address))
    let figures = (
      absence(addresses, since: start) { RecordIdentity($0) == address },
      absence(addresses, since: start) { RecordIdentity($0) != address }, owner.effects.suffix(3)
    )
    Attachment.record("\(figures)", named: "forged-addresses-\(milliseconds).txt")
    // The service stays listed.
    for question in [browse, server] {
      let gone = absence(question, since: start)
      #expect(gone.time == .zero && gone.losses == 0)
    }
    // Soon after it ends, there is the true address alone, be it under another name.
    network.run(for: .seconds(5))
    let target = try #require(browser.answers[server]?.first { if case .srv = $0.data { true } else { false } })
    guard case .srv(let service) = target.data else { return }
    #expect(service.target == "me.local" || milliseconds < 1000, "as often as that, the name is lost")
    let last = browser.ask(String(decoding: Array(service.target.labels.joined(separator: [0x2E])), as: UTF8.self), .a)
    network.run(for: .seconds(3))
    let found = browser.answers[last] ?? []
    #expect(found == Set([RecordIdentity(service.target, .address(owner.address))]))
  }
}
