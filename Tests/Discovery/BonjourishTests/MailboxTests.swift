import Testing
import _BonjourishDiscovery

@testable import Bonjourish

/// What waits for one subscriber, which its iterator takes on its own thread.
@Suite struct MailboxTests {
  private struct Numbers: PendingElements {
    var numbers: [Int] = []

    var isEmpty: Bool { numbers.isEmpty }
    var count: Int { numbers.count }

    mutating func append(_ number: Int) { numbers.append(number) }
    mutating func popFirst() -> Int? { numbers.isEmpty ? nil : numbers.removeFirst() }
  }

  private let mailbox = Mailbox<Numbers>()
  private let counters = DeliveryCounters()

  private var waiting: Int {
    var metrics = DiscoveryMetrics()
    counters.add(to: &metrics)
    return metrics.waitingChanges
  }

  @Test func `what is told before somebody subscribes is not kept`() {
    mailbox.append(1)
    #expect(mailbox.isEmpty && mailbox.popFirst() == nil)
  }

  @Test func `elements are taken in their order and counted`() {
    mailbox.open(Numbers(numbers: [1, 2]), counting: counters)
    mailbox.append(3)
    #expect(waiting == 3)
    for number in 1...3 { #expect(mailbox.popFirst() == number) }
    #expect(mailbox.popFirst() == nil && waiting == 0)
  }

  @Test func `a closed mailbox has nothing and takes nothing`() {
    mailbox.open(Numbers(numbers: [1]), counting: counters)
    mailbox.append(2)
    mailbox.close()
    mailbox.append(3)
    #expect(mailbox.isEmpty && mailbox.popFirst() == nil && waiting == 0)
  }

  @Test func `nothing is lost or taken twice while two threads use it`() async {
    mailbox.open(Numbers(), counting: counters)
    let taken = await withTaskGroup(of: [Int].self) { group in
      group.addTask { [mailbox] in
        for number in 0..<10_000 { mailbox.append(number) }
        return []
      }
      for _ in 0..<2 {
        group.addTask { [mailbox] in
          var taken: [Int] = []
          while taken.count < 4_000 {
            if let number = mailbox.popFirst() { taken.append(number) } else { await Task.yield() }
          }
          return taken
        }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    var rest: [Int] = []
    while let number = mailbox.popFirst() { rest.append(number) }
    #expect((taken + rest).sorted() == Array(0..<10_000) && waiting == 0)
  }
}
