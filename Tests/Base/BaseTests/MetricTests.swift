import Testing
import _BonjourishBase

struct MetricTests {
  @Test func `a counter is named as Prometheus names it, and a gauge as it is`() {
    let counter = Metric("messages", .counter, 3)
    #expect(counter.name == "bonjourish_messages_total" && counter.kind == .counter && counter.value == 3)
    #expect(counter.labels.isEmpty)
    let gauge = Metric("peers", .gauge, -1, ["family": "ipv4"])
    #expect(gauge.name == "bonjourish_peers" && gauge.kind == .gauge && gauge.value == -1)
    #expect(gauge.labels == ["family": "ipv4"])
  }

  @Test func `a number has all the hexadecimal digits of its type`() {
    #expect([0, 0xA, 0xFF].map { (number: UInt8) in number.hexadecimal } == ["00", "0a", "ff"])
    #expect(UInt16(0xABC).hexadecimal == "0abc" && UInt64(1).hexadecimal == "0000000000000001")
  }
}
