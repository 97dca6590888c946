import Testing

@testable import _BonjourishConsole

struct HostPortTests {
  @Test(arguments: [
    ("ada.local:4242", "ada.local", 4242), ("10.0.0.1:1", "10.0.0.1", 1), ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65_535),
    ("[::1]:80", "::1", 80),
  ])
  func `a host with a port is read`(_ text: String, _ host: String, _ port: UInt16) throws {
    let place = try #require(HostPort(text))
    #expect(place.host == host && place.port == port)
    #expect(place.description == text)
  }

  @Test(arguments: ["ada.local", "[::1]", "127.0.0.1"]) func `the port may be left out where it is known`(_ text: String) throws
  {
    #expect(HostPort(text) == nil)
    let place = try #require(HostPort(text, defaultPort: 1955))
    #expect(place.description == "\(text):1955")
  }

  @Test(arguments: [
    "", ":", ":80", "ada:", "ada:0", "ada:65536", "ada:x", "::1:80", "[::1", "[::1]80", "[]:80", "a:1:2", "[::1]:",
  ])
  func `malformed places are refused`(_ text: String) {
    #expect(HostPort(text, defaultPort: 1955) == nil)
  }
}
