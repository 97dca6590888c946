import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

struct BrowserStateTests {
  let start = ContinuousClock.now
  var browser = BrowserState()

  private mutating func handle(_ event: BrowseEvent, at time: Duration = .zero) -> [BrowseChange] {
    browser.handle(event, at: start + time)
  }

  @Test mutating func `links are folded into one instance`() {
    #expect(handle(.appeared(ada, wlan0v4)) == [.found(seen(ada, on: wlan0))])
    #expect(handle(.appeared(ada, wlan0v4)) == [])
    #expect(handle(.appeared(ada, eth0v4)) == [.updated(seen(ada, on: eth0, wlan0))])
    let both = DiscoveredService(instance: ada, links: [eth0v4, eth0v6, wlan0v4])
    #expect(both.interfaces == [eth0, wlan0])
    #expect(handle(.appeared(ada, eth0v6)) == [.updated(both)])
    #expect(handle(.appeared(ada, eth0v6)) == [])
    #expect(handle(.vanished(ada, eth0v4)) == [.updated(DiscoveredService(instance: ada, links: [eth0v6, wlan0v4]))])
    #expect(handle(.vanished(ada, eth0v6)) == [.updated(seen(ada, on: wlan0))])
    #expect(handle(.vanished(ada, eth0v6)) == [])
    #expect(handle(.vanished(ada, wlan0v4)) == [.lost(seen(ada, on: wlan0))])
    #expect(handle(.vanished(ada, wlan0v4)) == [])
    #expect(handle(.appeared(ada, eth0v4)) == [.found(seen(ada, on: eth0))])
  }

  @Test mutating func `instances differ in name, type and domain`() {
    let others = [bob, ServiceInstance(ada.name, type: "_ipp._tcp"), ServiceInstance(ada.name, type: game, domain: "b.local")]
    _ = handle(.appeared(ada, eth0v4))
    for other in others { #expect(handle(.appeared(other, eth0v4)) == [.found(seen(other, on: eth0))]) }
    #expect(handle(.vanished(bob, eth0v4)) == [.lost(seen(bob, on: eth0))])
    #expect(handle(.appeared(ServiceInstance("ADA'S GAME", type: game), eth0v4)) == [], "case does not matter")
  }

  @Test mutating func `settled is reported`() {
    #expect(handle(.settled) == [.settled])
    #expect(handle(.appeared(ada, eth0v4)) == [.found(seen(ada, on: eth0))])
    #expect(handle(.settled) == [.settled])
  }

  @Test mutating func `a failure is not a change`() {
    _ = handle(.appeared(ada, eth0v4))
    #expect(handle(.failed(noRoom)) == [])
    #expect(handle(.vanished(ada, eth0v4)) == [.lost(seen(ada, on: eth0))])
  }

  @Test mutating func `a short interruption loses nothing`() {
    _ = handle(.appeared(ada, eth0v4))
    _ = handle(.appeared(bob, eth0v4))
    #expect(browser.nextDeadline == nil)
    #expect(handle(.interrupted(daemonIsGone)) == [.interrupted(daemonIsGone)])
    #expect(browser.nextDeadline == start + .seconds(5))
    #expect(browser.advance(to: start + .milliseconds(4_999)) == [])
    #expect(handle(.restored, at: .seconds(4)) == [.restored])
    #expect(handle(.appeared(ada, eth0v4), at: .seconds(4)) == [])
    #expect(handle(.appeared(bob, eth0v4), at: .seconds(4)) == [])
    #expect(handle(.settled, at: .seconds(5)) == [.settled])
    #expect(browser.nextDeadline == nil)
    #expect(handle(.settled, at: .seconds(6)) == [.settled])
  }

  @Test mutating func `a service that answers late is not lost`() {
    for instance in [ada, bob] { _ = handle(.appeared(instance, eth0v4)) }
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored, at: .seconds(1))
    #expect(browser.nextDeadline == start + .seconds(6))
    #expect(handle(.appeared(ada, eth0v4), at: .seconds(1)) == [])
    #expect(handle(.settled, at: .seconds(2)) == [], "one is missed")
    #expect(handle(.settled, at: .seconds(3)) == [])
    #expect(handle(.appeared(bob, eth0v4), at: .seconds(4)) == [.settled])
    #expect(browser.nextDeadline == nil)
    #expect(browser.advance(to: start + .seconds(6)) == [])
  }

  @Test mutating func `a service that is not seen again is lost before settled`() {
    for instance in [cyd, ada, bob] { _ = handle(.appeared(instance, eth0v4)) }
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored)
    #expect(handle(.appeared(bob, eth0v4)) == [])
    #expect(handle(.settled) == [])
    #expect(
      browser.advance(to: start + .seconds(5)) == [.lost(seen(ada, on: eth0)), .lost(seen(cyd, on: eth0)), .settled])
    #expect(browser.nextDeadline == nil)
    #expect(handle(.vanished(bob, eth0v4)) == [.lost(seen(bob, on: eth0))])
  }

  @Test mutating func `a service that is not seen again is lost before an engine settles late`() {
    _ = handle(.appeared(ada, eth0v4))
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored)
    #expect(browser.advance(to: start + .seconds(5)) == [.lost(seen(ada, on: eth0))])
    #expect(browser.nextDeadline == nil)
    #expect(handle(.settled, at: .seconds(6)) == [.settled])
  }

  @Test mutating func `a long interruption loses all services once`() {
    for instance in [bob, ada] { _ = handle(.appeared(instance, eth0v4)) }
    _ = handle(.interrupted(daemonIsGone))
    #expect(handle(.interrupted(noRoom), at: .seconds(3)) == [], "told already, and the grace is not prolonged")
    #expect(browser.nextDeadline == start + .seconds(5))
    #expect(browser.advance(to: start + .seconds(5)) == [.lost(seen(ada, on: eth0)), .lost(seen(bob, on: eth0))])
    #expect(browser.nextDeadline == nil)
    #expect(browser.advance(to: start + .seconds(60)) == [])
    #expect(handle(.interrupted(noRoom), at: .seconds(61)) == [])
    #expect(browser.nextDeadline == nil)
    #expect(handle(.restored, at: .seconds(62)) == [.restored])
    #expect(handle(.appeared(ada, wlan0v4), at: .seconds(62)) == [.found(seen(ada, on: wlan0))])
  }

  @Test mutating func `restored without an interruption is not reported`() {
    #expect(handle(.restored) == [])
    #expect(handle(.settled) == [.settled])
  }

  @Test mutating func `an instance seen elsewhere after an interruption keeps both interfaces until settled`() {
    _ = handle(.appeared(ada, eth0v4))
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored)
    #expect(handle(.appeared(ada, wlan0v4)) == [.updated(seen(ada, on: eth0, wlan0))])
    #expect(handle(.settled) == [])
    #expect(browser.advance(to: start + .seconds(5)) == [.updated(seen(ada, on: wlan0)), .settled])
  }

  @Test mutating func `a goodbye after an interruption counts unless the service appears again`() {
    for instance in [ada, bob] { _ = handle(.appeared(instance, eth0v4)) }
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored)
    for instance in [ada, bob] { #expect(handle(.appeared(instance, eth0v4)) == []) }
    for instance in [ada, bob] { #expect(handle(.vanished(instance, eth0v4), at: .milliseconds(500)) == []) }
    #expect(handle(.vanished(ada, wlan0v4)) == [], "never seen there")
    #expect(handle(.settled, at: .seconds(1)) == [])
    #expect(handle(.appeared(ada, eth0v4), at: .seconds(2)) == [])
    #expect(browser.advance(to: start + .seconds(5)) == [.lost(seen(bob, on: eth0)), .settled])
    #expect(handle(.vanished(ada, eth0v4), at: .seconds(6)) == [.lost(seen(ada, on: eth0))])
  }

  @Test mutating func `a service that appears and goes after an interruption is lost in time`() {
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored)
    #expect(handle(.appeared(ada, eth0v4)) == [.found(seen(ada, on: eth0))])
    #expect(handle(.vanished(ada, eth0v4)) == [])
    #expect(handle(.settled) == [])
    #expect(browser.advance(to: start + .seconds(5)) == [.lost(seen(ada, on: eth0)), .settled])
  }

  @Test mutating func `a second interruption before settled keeps stale services`() {
    _ = handle(.appeared(ada, eth0v4))
    _ = handle(.appeared(bob, wlan0v4))
    _ = handle(.interrupted(daemonIsGone))
    _ = handle(.restored, at: .seconds(1))
    _ = handle(.appeared(ada, eth0v4), at: .seconds(1))
    #expect(handle(.interrupted(noRoom), at: .seconds(2)) == [.interrupted(noRoom)])
    #expect(browser.nextDeadline == start + .seconds(7), "a new interruption has its own grace")
    #expect(handle(.restored, at: .seconds(3)) == [.restored])
    #expect(handle(.appeared(bob, wlan0v4), at: .seconds(3)) == [])
    #expect(handle(.settled, at: .seconds(4)) == [])
    #expect(browser.advance(to: start + .seconds(8)) == [.lost(seen(ada, on: eth0)), .settled])
  }

  /// Changes, applied one after the other, are what the links say: never a loss of what is not known, nor an update.
  @Test(arguments: 1...50 as ClosedRange<UInt64>) func `changes are consistent with each other`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var browser = BrowserState()
    var model: [ServiceInstance: Set<Link>] = [:]
    var told: [ServiceInstance: DiscoveredService] = [:]
    var isUp = true
    var isStale = false
    var now = start
    let links = [eth0v4, eth0v6, wlan0v4]
    for step in 1...400 {
      let instance = [ada, bob, cyd][random.number(in: 0..<3)]
      let link = links[random.number(in: 0..<links.count)]
      var changes: [BrowseChange] = []
      switch random.number(in: 0..<10) {
      case 0..<4 where isUp:
        changes = browser.handle(.appeared(instance, link), at: now)
        model[instance, default: []].insert(link)
      case 4..<7 where isUp:
        changes = browser.handle(.vanished(instance, link), at: now)
        model[instance]?.remove(link)
      case 7 where isUp:
        changes = browser.handle(.settled, at: now)
      case 8:
        changes = browser.handle(isUp ? .interrupted(daemonIsGone) : .restored, at: now)
        #expect(changes == [isUp ? .interrupted(daemonIsGone) : .restored])
        if isUp { model = [:] }
        isUp.toggle()
        isStale = true
      default:
        now += .milliseconds(random.number(in: 0..<4_000))
        changes = browser.advance(to: now)
        #expect(browser.nextDeadline.map { $0 > now } ?? true)
      }
      for change in changes {
        switch change {
        case .found(let service): #expect(told.updateValue(service, forKey: service.id) == nil, "step \(step)")
        case .updated(let service):
          let before = told.updateValue(service, forKey: service.id)
          #expect(before != nil && before != service, "step \(step)")
        case .lost(let service): #expect(told.removeValue(forKey: service.id) == service, "step \(step)")
        case .settled: isStale = false
        case .interrupted, .restored: break
        }
      }
      for (instance, links) in model where !links.isEmpty {
        let seen = Set(told[instance]?.links ?? [])
        #expect(seen.isSuperset(of: links), "step \(step)")
      }
      guard !isStale else { continue }
      let expected = model.filter { !$0.value.isEmpty }.mapValues { $0.sorted() }
      #expect(told.mapValues(\.links) == expected, "step \(step)")
    }
  }
}
