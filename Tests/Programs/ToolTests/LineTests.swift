import Bonjourish
import TestSupport
import Testing
import _BonjourishBase

@testable import bonjourish_cli

/// The lines of plain output, which a program must be able to take apart.
struct LineTests {
  @Test func `a service is a line of quoted name, type, interfaces and endpoint`() throws {
    let txt: TXTRecord = ["path": "/a b\"", "secure": .flag, "empty": "", "odd key": "x", "bin": .bytes([0xFF, 0x5C, 0x00])]
    let service = try DiscoveredService.sample(
      "Ada's \"pages\" \\ \u{202E}x", interfaces: ["eth0", "wlan0"], host: "ada.local", port: 8080,
      addresses: ["10.77.0.1", "fe80::1%eth0"], txt: txt)
    #expect(
      Line.service(service, resolves: true)
        == #""Ada's \"pages\" \\ \u{202E}x" _http._tcp eth0,wlan0 ada.local:8080 10.77.0.1,fe80::1%eth0 "#
        + #"path="/a b\"" secure empty="" "odd key"="x" bin="\xFF\\\u{0}""#)
  }

  @Test func `a family without addresses is told after the wait for it`() throws {
    func absence(_ addresses: String...) throws -> String? {
      let addresses = try addresses.map { try #require(IPAddress($0)) }
      return Resolve.absence(in: Endpoint(host: "ada.local", port: 80, txt: [:], addresses: addresses))
    }
    #expect(try absence("10.77.0.1") == "waited for IPv6 addresses of ada.local, and nobody has told any")
    #expect(try absence("2001:db8::1") == "waited for IPv4 addresses of ada.local, and nobody has told any")
    #expect(try absence("2001:db8::1", "10.77.0.1") == nil)
  }

  @Test func `what is not known or to be remarked has its place`() throws {
    #expect(
      Line.service(try .sample("Ghost", interfaces: [], presence: .suspect), resolves: true)
        == #""Ghost" _http._tcp - (does not answer, may be gone)"#)
    #expect(
      Line.service(try .sample("Ghost", domain: "example.com", presence: .leaving), resolves: false)
        == #""Ghost" _http._tcp.example.com eth0 (said goodbye)"#)
    var far = try DiscoveredService.sample("Far")
    far.refusedAddresses = [.ipv4(0x0A00_0001)]
    #expect(Line.service(far, resolves: true) == #""Far" _http._tcp eth0 (no way to its addresses)"#)
    #expect(Line.service(far, resolves: false) == #""Far" _http._tcp eth0"#)
    #expect(Line.service(try .sample("Bare", host: "a b.local"), resolves: true) == #""Bare" _http._tcp eth0 "a b.local":80 -"#)
  }

  @Test func `a flag that looks like a remark is quoted`() throws {
    let txt: TXTRecord = ["(x)": .flag]
    #expect(
      Line.service(try .sample("A", host: "a.local", txt: txt), resolves: true) == #""A" _http._tcp eth0 a.local:80 - "(x)""#)
  }

  @Test func `any bytes can be read back from their quoted form`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let bytes = (0..<random.number(in: 0..<12)).map { _ in
        random.number(in: 0..<3) == 0
          ? [0x5C, 0x22, 0x6E, 0x78, 0x75, 0x7B, 0x0A, 0x09, 0x1B][random.number(in: 0..<9)] : UInt8(random.number(in: 0..<256))
      }
      let quoted = Line.quoted(bytes)
      #expect(unquoted(quoted) == bytes, "\(quoted)")
    }
  }

  /// What the manual says about quotation marks, in reverse.
  private func unquoted(_ text: String) -> [UInt8]? {
    var rest = text.unicodeScalars[...]
    guard rest.count >= 2, rest.popFirst() == "\"", rest.popLast() == "\"" else { return nil }
    var bytes: [UInt8] = []
    while let scalar = rest.popFirst() {
      guard scalar == "\\" else {
        bytes += Array(String(scalar).utf8)
        continue
      }
      switch rest.popFirst() {
      case "\"": bytes.append(0x22)
      case "\\": bytes.append(0x5C)
      case "n": bytes.append(0x0A)
      case "r": bytes.append(0x0D)
      case "t": bytes.append(0x09)
      case "x":
        guard let byte = UInt8(String(rest.prefix(2)), radix: 16) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(2)
      case "u":
        guard let end = rest.firstIndex(of: "}"), let value = UInt32(String(rest[..<end].dropFirst()), radix: 16),
          let scalar = Unicode.Scalar(value)
        else { return nil }
        bytes += Array(String(scalar).utf8)
        rest = rest[rest.index(after: end)...]
      default: return nil
      }
    }
    return bytes
  }
}
