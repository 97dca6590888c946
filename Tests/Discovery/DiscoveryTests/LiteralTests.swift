import Testing

@testable import _BonjourishDiscovery

/// A mistake in the program's own text stops the program, and says what is wrong.
struct LiteralTests {
  private func expect(_ reason: String, from result: ExitTest.Result?) throws {
    let output = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(output.contains(reason), "\(output)")
  }

  @Test func `an invalid service type literal stops the program with a reason`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let type: ServiceType = "_http.tcp"
      print(type)
    }
    try expect("ends with neither _tcp nor _udp", from: result)
  }

  @Test func `an invalid instance name literal stops the program with a reason`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let name: InstanceName = ""
      print(name)
    }
    try expect("empty", from: result)
  }

  @Test func `an invalid domain name literal stops the program with a reason`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let name: DomainName = "a..b"
      print(name)
    }
    try expect("empty label", from: result)
  }

  @Test func `an invalid TXT record literal stops the program with a reason`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let txt: TXTRecord = ["a=b": "1"]
      print(txt)
    }
    try expect("equals sign", from: result)
  }
}
