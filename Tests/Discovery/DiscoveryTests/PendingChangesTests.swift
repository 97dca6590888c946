import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

struct PendingChangesTests {
  private let here = seen(ada, on: eth0)
  private let there = seen(ada, on: wlan0)
  private let both = seen(ada, on: eth0, wlan0)

  private func taken(_ changes: BrowseChange...) -> [BrowseChange] {
    var pending = PendingChanges<DiscoveredService>()
    for change in changes { pending.append(change) }
    return rest(of: &pending)
  }

  private func rest(of pending: inout PendingChanges<DiscoveredService>) -> [BrowseChange] {
    var taken: [BrowseChange] = []
    while let change = pending.popFirst() { taken.append(change) }
    #expect(pending.isEmpty)
    return taken
  }

  @Test func `changes come out in order`() {
    let bobs = seen(bob, on: eth0)
    #expect(taken() == [])
    #expect(
      taken(.found(here), .found(bobs), .settled, .interrupted(daemonIsGone))
        == [.found(here), .found(bobs), .settled, .interrupted(daemonIsGone)])
  }

  @Test func `changes of one instance are merged`() {
    #expect(taken(.found(here), .updated(there)) == [.found(there)])
    #expect(taken(.found(here), .updated(there), .updated(both)) == [.found(both)])
    #expect(taken(.found(here), .lost(here)) == [])
    #expect(taken(.found(here), .lost(here), .found(there)) == [.found(there)])
    #expect(taken(.updated(here), .updated(there)) == [.updated(there)])
    #expect(taken(.updated(here), .lost(there)) == [.lost(there)])
    #expect(taken(.lost(here), .found(there)) == [.updated(there)])
    #expect(taken(.lost(here), .found(there), .lost(there)) == [.lost(there)])
    #expect(taken(.updated(here), .lost(here), .found(there), .updated(both)) == [.updated(both)])
  }

  @Test func `interruptions and restorations cancel out`() {
    #expect(taken(.interrupted(daemonIsGone), .restored) == [])
    #expect(taken(.restored, .interrupted(daemonIsGone)) == [])
    #expect(taken(.interrupted(daemonIsGone), .restored, .interrupted(noRoom)) == [.interrupted(noRoom)])
    #expect(taken(.interrupted(daemonIsGone), .interrupted(noRoom)) == [.interrupted(noRoom)])
    #expect(taken(.restored, .restored) == [.restored])
  }

  @Test func `settled comes after all changes that it covers`() {
    #expect(taken(.settled, .found(here), .settled) == [.found(here), .settled])
    #expect(
      taken(.settled, .interrupted(daemonIsGone), .restored, .lost(here), .settled) == [.lost(here), .settled])
    #expect(taken(.restored, .settled, .lost(here), .settled) == [.restored, .lost(here), .settled])
  }

  @Test func `a change after a cancelled one has its own place`() {
    let bobs = seen(bob, on: eth0)
    #expect(taken(.found(here), .found(bobs), .lost(here), .settled, .found(there)) == [.found(bobs), .settled, .found(there)])
    #expect(
      taken(.interrupted(daemonIsGone), .lost(here), .restored, .interrupted(noRoom)) == [.lost(here), .interrupted(noRoom)])
  }

  @Test func `the count is that of the waiting changes`() {
    var pending = PendingChanges<DiscoveredService>()
    #expect(pending.isEmpty)
    #expect(pending.popFirst() == nil)
    pending.append(.found(here))
    pending.append(.updated(both))
    pending.append(.settled)
    #expect(pending.count == 2)
    #expect(pending.popFirst() == .found(both))
    #expect(pending.count == 1)
    pending.append(.lost(both))
    #expect(pending.count == 2)
    #expect(pending.popFirst() == .settled)
    #expect(pending.popFirst() == .lost(both))
    #expect(pending.isEmpty)
  }

  @Test func `a flickering service takes no room`() {
    var pending = PendingChanges<DiscoveredService>()
    for _ in 1...1_000 {
      pending.append(.found(here))
      pending.append(.lost(here))
      pending.append(.settled)
      #expect(pending.count <= 1)
      #expect(pending.queue.count <= 64)
    }
  }

  /// What someone knows who applies changes.
  private struct Knowledge: Equatable {
    var services: [ServiceInstance: DiscoveredService] = [:]
    var isInterrupted = false
    var isSettled = false

    mutating func apply(_ change: BrowseChange) {
      switch change {
      case .found(let service):
        #expect(services.updateValue(service, forKey: service.id) == nil, "found what was known")
      case .updated(let service):
        #expect(services.updateValue(service, forKey: service.id) != nil, "updated what was not known")
      case .lost(let service):
        #expect(services.removeValue(forKey: service.id) != nil, "lost what was not known")
      case .settled: isSettled = true
      case .interrupted:
        #expect(!isInterrupted, "interrupted twice")
        isInterrupted = true
      case .restored:
        #expect(isInterrupted, "restored what was not interrupted")
        isInterrupted = false
      }
    }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>) func `merged changes lead to the same state as all changes`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let instances = (0..<random.number(in: 1..<40)).map { number -> ServiceInstance in
      var name: InstanceName = "x"
      for _ in 0..<number { name = name.alternative() }
      return ServiceInstance(name, type: game)
    }
    let popsOnceIn = random.number(in: 1..<30)
    var pending = PendingChanges<DiscoveredService>()
    var all = Knowledge()
    var slow = Knowledge()
    for _ in 1...1_000 {
      let instance = instances[random.number(in: 0..<instances.count)]
      let interfaces = [[eth0], [wlan0], [eth0, wlan0]][random.number(in: 0..<3)]
      let service = DiscoveredService(instance: instance, interfaces: interfaces)
      let change: BrowseChange
      switch random.number(in: 0..<20) {
      case 0: change = .settled
      case 1: change = all.isInterrupted ? .restored : .interrupted(daemonIsGone)
      default:
        let known = all.services[instance]
        change = known == nil ? .found(service) : random.once(in: 2) ? .updated(service) : .lost(known!)
      }
      all.apply(change)
      pending.append(change)
      #expect(pending.count <= instances.count + 2)
      #expect(pending.queue.count <= max(32, 2 * pending.count + 16))
      while random.once(in: popsOnceIn), let taken = pending.popFirst() { slow.apply(taken) }
    }
    while let taken = pending.popFirst() { slow.apply(taken) }
    #expect(slow == all)
    #expect(pending.isEmpty && pending.count == 0)
  }
}
