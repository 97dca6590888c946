import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDiscovery
import _BonjourishTerminal

@testable import _BonjourishExplorer

/// The incremental index against one that is made anew.
struct TreeTests {
  private func entry(_ service: DiscoveredService) -> Entry {
    Entry(service, Entry.Remarks(), title: nil, resolves: false, isUnicode: true)
  }

  private func rows(_ tree: ServiceTree) -> [ServiceTree.Anchor] { tree.rows(from: 0, count: .max).map(tree.anchor) }

  @Test(arguments: 1...12) func `after any changes the rows are those of a tree that is made anew`(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let grouping = Grouping.allCases[seed % 4]
    let order = ServiceOrder.allCases[seed / 4 % 4]
    var tree = ServiceTree(grouping, order)
    var there: [ServiceInstance: DiscoveredService] = [:]
    var gone: Set<ServiceInstance> = []
    for step in 0..<1_500 {
      let name = "service \(generator.number(in: 0..<60))"
      let type = ["_http._tcp", "_ipp._tcp", "_ssh._tcp"][generator.number(in: 0..<3)]
      let host = generator.once(in: 3) ? nil : "h\(generator.number(in: 0..<9)).local"
      let interfaces = [["eth0"], ["wlan0"], ["eth0", "wlan0"]][generator.number(in: 0..<3)]
      let service = try DiscoveredService.sample(
        name, type: type, interfaces: interfaces, host: host, addresses: ["10.0.0.\(generator.number(in: 1..<250))"])
      switch generator.number(in: 0..<6) {
      case 0, 1:
        tree.remove(service.instance)
        there[service.instance] = nil
        gone.remove(service.instance)
      case 2:
        tree.remark(service.instance) { $0.mark = .lost }
        if there[service.instance] != nil { gone.insert(service.instance) }
      default:
        tree.put(entry(service))
        there[service.instance] = service
        gone.remove(service.instance)
      }
      if step == 700 { tree.show(ListFilter("h"), markedOnly: false) }
      guard step % 100 == 99 else { continue }
      var fresh = ServiceTree(grouping, order)
      fresh.show(tree.filter, markedOnly: false)
      for service in there.values {
        fresh.put(entry(service))
        if gone.contains(service.instance) { fresh.remark(service.instance) { $0.mark = .lost } }
      }
      #expect(rows(tree) == rows(fresh))
      #expect(tree.listedCount == fresh.listedCount && tree.presentCount == there.count - gone.count)
      for group in tree.groups { #expect(group.presentCount == group.members.count { tree[$0].mark != .lost }) }
      // No column is shown that has nothing in it.
      let shown = tree.groups.flatMap(\.members).map { tree[$0] }
      for place in tree.widest.indices {
        #expect((tree.widest[place] == 0) == shown.allSatisfy { $0.widths[place] == 0 })
        #expect(shown.allSatisfy { $0.widths[place] <= tree.widest[place] })
      }
      for (index, anchor) in rows(tree).enumerated() { #expect(tree.index(of: anchor) == index) }
      fresh.sort(by: order)
      #expect(rows(tree) == rows(fresh))
    }
  }

  @Test func `names that are equal for people and differ in bytes are different services`() throws {
    var tree = ServiceTree(.flat, .name)
    let names = ["\u{E9}", "e\u{301}"].map { ServiceInstance(InstanceName(received: $0)!, type: "_http._tcp") }
    for instance in names { tree.put(entry(DiscoveredService(instance: instance, links: []))) }
    #expect(tree.rowCount == 2)
    tree.remove(names[1])
    #expect(rows(tree).map(\.instance) == [names[0]])
    tree.put(entry(DiscoveredService(instance: names[1], links: [])))
    tree.remove(names[0])
    #expect(rows(tree).map(\.instance) == [names[1]])
  }
}
