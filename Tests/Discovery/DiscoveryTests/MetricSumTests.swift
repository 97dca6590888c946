import Foundation
import Testing

@testable import _BonjourishDiscovery

/// Counters outlive the engine that has counted; gauges do not. In these metrics each number is another one.
struct MetricSumTests {
  /// The numbers of a value by their path, such as `ipv4.sent`.
  private func numbers(_ value: some Encodable) throws -> [String: Int] {
    var result: [String: Int] = [:]
    func add(_ value: Any, _ path: String) {
      if let fields = value as? [String: Any] {
        for (key, field) in fields { add(field, path.isEmpty ? key : "\(path).\(key)") }
      } else if let number = value as? NSNumber {
        result[path] = number.intValue
      }
    }
    add(try JSONSerialization.jsonObject(with: JSONEncoder().encode(value)), "")
    return result
  }

  /// The value with another number in each of its fields that is one.
  private func numbered<Metrics: Codable>(_ metrics: Metrics, from first: Int) throws -> Metrics {
    var next = first
    func numbered(_ field: Any) -> Any {
      if let fields = field as? [String: Any] {
        var result: [String: Any] = [:]
        for name in fields.keys.sorted() { result[name] = fields[name].map(numbered) }
        return result
      }
      guard field is NSNumber else { return field }
      defer { next += 1 }
      return next
    }
    let fields = numbered(try JSONSerialization.jsonObject(with: JSONEncoder().encode(metrics)))
    return try JSONDecoder().decode(Metrics.self, from: JSONSerialization.data(withJSONObject: fields))
  }

  @Test func `each counter of a former engine is added, and no gauge`() throws {
    let (former, own) = (try numbered(EngineMetrics(), from: 1_000), try numbered(EngineMetrics(), from: 1))
    var sum = own
    sum.addCounters(of: former)
    let (before, added, after) = (try numbers(own), try numbers(former), try numbers(sum))
    #expect(after.count == before.count && after.count > 30)
    for (name, number) in after {
      let isCounter = name.contains(".")
      #expect(number == before[name, default: 0] + (isCounter ? added[name, default: 0] : 0), "\(name)")
    }
  }

  @Test func `the list has the value of each number`() throws {
    let metrics = try numbered(DiscoveryMetrics(), from: 2)
    let list = metrics.list
    // The backend's name is a label of a 1.
    #expect(list.map(\.value).sorted() == [1] + (try numbers(metrics)).values.sorted())
    func value(_ name: String, _ labels: [String: String] = [:]) -> Int? {
      list.first { $0.name == "bonjourish_\(name)" && $0.labels == labels }?.value
    }
    #expect(value("browsers") == metrics.browsers)
    #expect(value("lookups") == metrics.lookups)
    #expect(value("registrations") == metrics.registrations)
    #expect(value("renames_total") == metrics.renames)
    let (ipv4, ipv6, messages) = (metrics.builtin.ipv4, metrics.builtin.ipv6, metrics.builtin.messages)
    #expect(value("datagrams_total", ["family": "ipv4", "direction": "in"]) == ipv4.received)
    #expect(value("datagrams_total", ["family": "ipv6", "direction": "out"]) == ipv6.sent)
    #expect(value("datagram_bytes_total", ["family": "ipv4", "direction": "out"]) == ipv4.bytesSent)
    #expect(value("datagrams_lost_total", ["family": "ipv6", "reason": "dropped"]) == ipv6.dropped)
    #expect(value("messages_total", ["direction": "in", "kind": "probe"]) == messages.probesReceived)
    #expect(value("messages_total", ["direction": "out", "kind": "goodbye"]) == messages.goodbyesSent)
    #expect(value("cached_bytes") == metrics.builtin.cachedBytes)
  }

  @Test func `nothing is counted before anything has happened`() throws {
    #expect(try numbers(DiscoveryMetrics()).allSatisfy { $0.value == 0 })
    #expect(DiscoveryMetrics().list.map(\.value).filter { $0 != 0 } == [1], "the backend's name")
    var metrics = DiscoveryMetrics()
    metrics.count(RecordQuestion(.domain("x.local"), .a))
    #expect(metrics.lookups == 1 && metrics.browsers == 0)
    metrics.count(try BrowseQuery("_x._tcp", domain: .local).question())
    #expect(metrics.lookups == 1 && metrics.browsers == 1)
  }
}
